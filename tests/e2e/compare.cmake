# Two rungs of heat side by side, as scripts/demo does.
if(NOT OMPDM_BUILD_KERNELS)
  return()
endif()
add_executable(e2e_compare_test compare_test.cpp)
target_link_libraries(e2e_compare_test PRIVATE ompdm_options e2e_support GTest::gtest_main)
target_compile_definitions(e2e_compare_test PRIVATE OMPDM_RECORDER="$<TARGET_FILE:ompdm_record>")
add_dependencies(e2e_compare_test heat)
gtest_discover_tests(e2e_compare_test NO_PRETTY_VALUES TEST_PREFIX e2e. DISCOVERY_MODE PRE_TEST
  PROPERTIES LABELS e2e TIMEOUT 120)
