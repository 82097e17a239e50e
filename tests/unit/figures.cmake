# What is kept of many quantities.
add_executable(figures_test figures/distribution_test.cpp)
target_link_libraries(figures_test PRIVATE ompdm_options ompdm_figures GTest::gtest_main)
gtest_discover_tests(figures_test NO_PRETTY_VALUES TEST_PREFIX unit.figures. PROPERTIES LABELS unit)
