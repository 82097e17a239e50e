# doctor, info and record on programs built in many ways.
set(programs ${CMAKE_CURRENT_BINARY_DIR}/verbs)
function(add_verbs_program name source)
  ompdm_add_offload_program(verbs_${name} verbs/${source}
    OUTPUT_NAME ${name} OUTPUT_DIRECTORY ${programs} ${ARGN})
  add_dependencies(e2e_test verbs_${name})
endfunction()

target_sources(e2e_test PRIVATE verbs_test.cpp)

add_verbs_program(region region.c)
add_verbs_program(no_debug region.c OPTIONS -g0)
add_verbs_program(stripped region.c OPTIONS -g0 LINK -s)
add_verbs_program(stripped_lines region.c LINK -s)
add_verbs_program(own_tool own_tool.c)
add_verbs_program(data_only data_only.c)
add_verbs_program(part part.c SHARED)
add_verbs_program(user user.c OPTIONS -g0 LINK -s verbs_part)
add_executable(verbs_opener verbs/opener.c)
set_target_properties(verbs_opener PROPERTIES OUTPUT_NAME opener RUNTIME_OUTPUT_DIRECTORY ${programs})
target_link_libraries(verbs_opener PRIVATE ${CMAKE_DL_LIBS})
add_dependencies(e2e_test verbs_opener)
add_dependencies(offload_programs verbs_opener)

# As it is built by hand: nothing leads the loader to the runtime.
add_custom_command(OUTPUT ${programs}/lost_runtime
  COMMAND ${OMPDM_OFFLOAD_C} -fopenmp -fopenmp-targets=${OMPDM_OFFLOAD_TARGETS} ${OMPDM_OFFLOAD_OPTIONS}
    ${CMAKE_CURRENT_SOURCE_DIR}/verbs/region.c -o ${programs}/lost_runtime
  DEPENDS verbs/region.c COMMAND_EXPAND_LISTS VERBATIM)
add_custom_command(OUTPUT ${programs}/lost_library
  COMMAND ${OMPDM_OFFLOAD_C} -fopenmp -fopenmp-targets=${OMPDM_OFFLOAD_TARGETS} ${OMPDM_OFFLOAD_OPTIONS} -fPIC -shared
    ${CMAKE_CURRENT_SOURCE_DIR}/verbs/part.c -o ${programs}/lost_library
  DEPENDS verbs/part.c COMMAND_EXPAND_LISTS VERBATIM)
add_custom_target(verbs_lost_runtime ALL DEPENDS ${programs}/lost_runtime ${programs}/lost_library)
add_dependencies(e2e_test verbs_lost_runtime)
add_dependencies(offload_programs verbs_lost_runtime)

# As it is built where the targets are forgotten.
add_custom_command(OUTPUT ${programs}/host_alone
  COMMAND ${OMPDM_OFFLOAD_C} -fopenmp ${OMPDM_OFFLOAD_OPTIONS} ${CMAKE_CURRENT_SOURCE_DIR}/verbs/region.c
    -o ${programs}/host_alone -Wl,-rpath,${OMPDM_OFFLOAD_LIBRARY_DIR}
  DEPENDS verbs/region.c COMMAND_EXPAND_LISTS VERBATIM)
add_custom_target(verbs_host_alone ALL DEPENDS ${programs}/host_alone)
add_dependencies(e2e_test verbs_host_alone)
add_dependencies(offload_programs verbs_host_alone)

# A shared AddressSanitizer runtime must be loaded first, whoever's it is.
execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libasan.so
  OUTPUT_VARIABLE asan OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(IS_ABSOLUTE "${asan}" AND EXISTS "${asan}")
  add_verbs_program(shared_asan region.c LINK -Wl,--no-as-needed "${asan}")
endif()
find_program(OMPDM_GCC NAMES gcc)
if(OMPDM_GCC)
  add_custom_command(OUTPUT ${programs}/libgomp
    COMMAND ${OMPDM_GCC} -fopenmp -foffload=disable
      ${CMAKE_CURRENT_SOURCE_DIR}/verbs/region.c -o ${programs}/libgomp
    DEPENDS verbs/region.c VERBATIM)
  add_custom_target(verbs_libgomp ALL DEPENDS ${programs}/libgomp)
  add_dependencies(e2e_test verbs_libgomp)
  add_dependencies(offload_programs verbs_libgomp)
endif()
