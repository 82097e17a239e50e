# Two rungs of heat side by side, as scripts/demo does, and all of them as scripts/lesson does.
if(NOT OMPDM_BUILD_KERNELS)
  return()
endif()
add_executable(e2e_compare_test compare_test.cpp)
target_link_libraries(e2e_compare_test PRIVATE ompdm_options e2e_support GTest::gtest_main)
target_compile_definitions(e2e_compare_test PRIVATE OMPDM_RECORDER="$<TARGET_FILE:ompdm_record>")
add_dependencies(e2e_compare_test heat jacobi)
gtest_discover_tests(e2e_compare_test NO_PRETTY_VALUES TEST_PREFIX e2e. DISCOVERY_MODE PRE_TEST
  PROPERTIES LABELS e2e TIMEOUT 120)
add_test(NAME lesson COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/lesson_test.py
  ${PROJECT_SOURCE_DIR}/scripts/lesson ${PROJECT_BINARY_DIR})
set_tests_properties(lesson PROPERTIES LABELS e2e TIMEOUT 300)
