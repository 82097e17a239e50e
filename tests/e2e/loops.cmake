# Loops of several shapes in a real program, without marks in its source.
if(NOT OMPDM_BUILD_KERNELS)
  return()
endif()
add_e2e_program(loops ${CMAKE_CURRENT_SOURCE_DIR}/loops/loops.c C)
foreach(level O0 O2)
  add_e2e_program(shapes_${level} ${CMAKE_CURRENT_SOURCE_DIR}/loops/shapes.cpp OPTIONS -std=c++20 -g -${level})
endforeach()
add_executable(e2e_loops_test loops_test.cpp passes_test.cpp)
target_link_libraries(e2e_loops_test PRIVATE ompdm_options e2e_support GTest::gtest_main)
add_dependencies(e2e_loops_test e2e_loops e2e_shapes_O0 e2e_shapes_O2)
gtest_discover_tests(e2e_loops_test NO_PRETTY_VALUES TEST_PREFIX e2e. DISCOVERY_MODE PRE_TEST
  PROPERTIES LABELS e2e TIMEOUT 120)
