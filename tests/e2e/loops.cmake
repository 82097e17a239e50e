# Loops of several shapes in a real program, without marks in its source.
if(NOT OMPDM_BUILD_KERNELS)
  return()
endif()
add_e2e_program(loops ${CMAKE_CURRENT_SOURCE_DIR}/loops/loops.c C)
add_executable(e2e_loops_test loops_test.cpp)
target_link_libraries(e2e_loops_test PRIVATE ompdm_options e2e_support GTest::gtest_main)
add_dependencies(e2e_loops_test e2e_loops)
gtest_discover_tests(e2e_loops_test NO_PRETTY_VALUES TEST_PREFIX e2e. DISCOVERY_MODE PRE_TEST
  PROPERTIES LABELS e2e TIMEOUT 120)
