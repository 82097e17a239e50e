# Patches of programs in folders of their own: what `ompdm fix` makes of them, and some built and run. Nothing of it
# without ompdm-edit.
if(NOT OMPDM_BUILD_KERNELS OR NOT TARGET ompdm-edit)
  return()
endif()
set(fix_sources ${CMAKE_CURRENT_SOURCE_DIR}/fix)
set(fix_programs ${CMAKE_CURRENT_BINARY_DIR}/fix)

# Compiled as the Makefile of a test's own folder would do it; tests take copies.
function(add_fix_program name)
  ompdm_add_offload_program(fix_${name} ${ARGN} IN_PLACE OUTPUT_NAME ${name} OUTPUT_DIRECTORY ${fix_programs})
  set_property(DIRECTORY APPEND PROPERTY FIX_PROGRAMS fix_${name})
endfunction()
foreach(name aggregate alias asks calls casts chain checked cleanup copied_back data_alone either elsewhere functions global host_reads
    kept known later lifetime macro named_in_functions nested no_memory on_host one_thread other_piece part_of_run parts reads returns rows sent_element spelled split team
    to_file two_loops unnamed unread_end unseen untaken updated without)
  add_fix_program(${name} ${fix_sources}/${name}.c C)
endforeach()
add_fix_program(member_ends ${fix_sources}/member_ends.cpp OPTIONS -std=c++20)
add_fix_program(fields ${fix_sources}/fields.cpp OPTIONS -std=c++20)
add_fix_program(lineless ${fix_sources}/copied_back.c C OPTIONS -g0)
add_fix_program(flags ${fix_sources}/flags/flags.c C OPTIONS -Iinclude -DPASSES=20
  DEPENDS ${fix_sources}/flags/include/size.h)
add_fix_program(folders ${fix_sources}/folders/folders.c C OPTIONS -Iinclude -DON_DEVICE
  DEPENDS ${fix_sources}/folders/include/size.h)
add_fix_program(main ${fix_sources}/files/main.c ${fix_sources}/files/solver.c C DEPENDS ${fix_sources}/files/solver.h)
foreach(name heat jacobi pi vadd)
  add_fix_program(${name} ${PROJECT_SOURCE_DIR}/kernels/${name}.cpp OPTIONS -std=c++20
    DEPENDS ${PROJECT_SOURCE_DIR}/kernels/arguments.h)
endforeach()
# With the line ends of another system.
configure_file(${fix_sources}/templates.cpp ${fix_programs}/dos/templates.cpp @ONLY NEWLINE_STYLE DOS)
add_fix_program(templates ${fix_programs}/dos/templates.cpp OPTIONS -std=c++20)

get_property(fix_built DIRECTORY PROPERTY FIX_PROGRAMS)
target_sources(e2e_test PRIVATE fix_build_test.cpp fix_plan_test.cpp report_patch_test.cpp fix_source_test.cpp fix_test.cpp project.cpp)
target_compile_definitions(e2e_test PRIVATE OMPDM_E2E_FIX="${fix_sources}"
  OMPDM_KERNELS="${PROJECT_SOURCE_DIR}/kernels")
add_dependencies(e2e_test ompdm ompdm-edit ompdm_record ompdm_build_log ${fix_built})
if(OMPDM_HAVE_STANDIN)
  set(standin_options ${OMPDM_STANDIN_OPTIONS} -O0)
  foreach(name deferred host_reads mixed unread)
    ompdm_add_offload_program(fix_standin_${name} ${fix_sources}/${name}.c C IN_PLACE DEFAULT_OPTIONS off
      OPTIONS ${standin_options} LINK -Wl,--opt-level=O2 OUTPUT_NAME ${name} OUTPUT_DIRECTORY ${fix_programs}/standin)
    add_dependencies(e2e_test fix_standin_${name})
  endforeach()
  list(JOIN standin_options " " standin_options)
  string(APPEND standin_options " -Wl,--opt-level=O2 -Wl,-rpath,${OMPDM_OFFLOAD_LIBRARY_DIR}")
  target_sources(e2e_test PRIVATE fix_standin_test.cpp)
  target_compile_definitions(e2e_test PRIVATE OMPDM_STANDIN_LIBRARIES="${OMPDM_STANDIN_LIBRARIES}"
    OMPDM_STANDIN_PROGRAMS="${fix_programs}/standin"
    OMPDM_STANDIN_C="${OMPDM_OFFLOAD_C} ${standin_options}" OMPDM_STANDIN_CXX="${OMPDM_OFFLOAD_CXX} ${standin_options}")
  add_dependencies(e2e_test standin)
endif()
