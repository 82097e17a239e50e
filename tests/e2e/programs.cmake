# Odd programs, each one idea, with the expected ledger at its head.
set(e2e_sources ${CMAKE_CURRENT_SOURCE_DIR}/programs)
set(e2e_programs ${CMAKE_CURRENT_BINARY_DIR}/programs)

function(add_e2e_program name)
  ompdm_add_offload_program(e2e_${name} ${ARGN} OUTPUT_NAME ${name} OUTPUT_DIRECTORY ${e2e_programs})
  set_property(DIRECTORY APPEND PROPERTY E2E_PROGRAMS e2e_${name})
endfunction()

foreach(name always api api_async api_globals conditions declare_target devices firstprivate host_only huge
    mapper mapper_nested nested_data nowait_depend parallel_regions reductions reused same_line strided_update
    struct_members unified)
  add_e2e_program(${name} ${e2e_sources}/${name}.c C)
endforeach()
foreach(name classes instances objects reached templates threads)
  add_e2e_program(${name} ${e2e_sources}/${name}.cpp OPTIONS -std=c++20)
endforeach()

# Without optimisation the compiler leaves other traces of where it was.
add_e2e_program(reached_O0 ${e2e_sources}/reached.cpp OPTIONS -std=c++20 -O0)
foreach(name declare_target nested_data nowait_depend struct_members)
  add_e2e_program(${name}_O0 ${e2e_sources}/${name}.c C OPTIONS -O0)
endforeach()

# Regions of other files, in linked and in loaded libraries.
add_e2e_program(two_parts ${e2e_sources}/two_parts.c ${e2e_sources}/scale.c ${e2e_sources}/shift.c C)
foreach(name scale shift tenant_one tenant_two)
  add_e2e_program(${name} ${e2e_sources}/${name}.c C SHARED)
endforeach()
add_e2e_program(two_libraries ${e2e_sources}/two_parts.c C LINK e2e_scale e2e_shift)
add_e2e_program(load_twice ${e2e_sources}/load_twice.c C)
add_e2e_program(same_place ${e2e_sources}/same_place.c C)
add_executable(load_twice_gcc ${e2e_sources}/load_twice.c)
set_target_properties(load_twice_gcc PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${e2e_programs})
target_link_libraries(load_twice_gcc PRIVATE ${CMAKE_DL_LIBS})
add_dependencies(offload_programs load_twice_gcc)

add_library(e2e_support STATIC run.cpp recorded.cpp ledger.cpp offload_build.cpp patching.cpp)
target_include_directories(e2e_support PUBLIC ${CMAKE_CURRENT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/tests)
target_link_libraries(e2e_support PUBLIC ompdm_trace GTest::gtest nlohmann_json::nlohmann_json
  PRIVATE ompdm_options fmt::fmt)
target_compile_definitions(e2e_support PUBLIC
  OMPDM_COMMAND="$<TARGET_FILE:ompdm>" OMPDM_RECORDER="$<TARGET_FILE:ompdm_record>" OMPDM_OFFLOAD_BUILD="${offload_build}"
  OMPDM_E2E_SOURCES="${e2e_sources}" OMPDM_KERNEL_SOURCES="${PROJECT_SOURCE_DIR}/kernels")
add_dependencies(e2e_support ompdm ompdm_record)

get_property(e2e_built DIRECTORY PROPERTY E2E_PROGRAMS)
target_sources(e2e_test PRIVATE programs_test.cpp circumstances_test.cpp tallies_test.cpp)
add_dependencies(e2e_test ${e2e_built} load_twice_gcc)
