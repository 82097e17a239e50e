# Summaries of ranks: what they say of a trace, and that they add up.
add_executable(summary_test summary/job_report_test.cpp summary/merge_test.cpp summary/random_summary.cpp summary/summarize_test.cpp summary/programs_test.cpp ${PROJECT_SOURCE_DIR}/tests/support/synthetic_trace.cpp)
target_include_directories(summary_test PRIVATE ${PROJECT_SOURCE_DIR}/tests ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(summary_test PRIVATE ompdm_options ompdm_report nlohmann_json::nlohmann_json GTest::gtest_main)
gtest_discover_tests(summary_test NO_PRETTY_VALUES TEST_PREFIX unit. PROPERTIES LABELS unit)
# A job of made-up ranks, for tests of the command and measurements: make_summaries FOLDER COUNT.
add_executable(make_summaries ${PROJECT_SOURCE_DIR}/tests/support/summaries_main.cpp summary/random_summary.cpp)
target_include_directories(make_summaries PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(make_summaries PRIVATE ompdm_options ompdm_summary)
