add_executable(report_test
  report/comparison_test.cpp report/ladder_test.cpp
  report/conditions_test.cpp report/fortran_wording_test.cpp
  report/rendering_test.cpp report/gpu_trace_test.cpp report/call_path_tables_test.cpp report/left_out_test.cpp
  report/evidence_test.cpp
  report/nearest_test.cpp
  report/page_test.cpp report/page_numbers.cpp
  report/source_names_test.cpp
  report/glance_test.cpp report/table_test.cpp
  report/units_test.cpp
  report/counted_run_test.cpp)
target_include_directories(report_test PRIVATE ${PROJECT_SOURCE_DIR}/tests ${CMAKE_CURRENT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/libompdm)
target_link_libraries(report_test PRIVATE ompdm_options ompdm_report ompdm_trace nlohmann_json::nlohmann_json
  ZLIB::ZLIB GTest::gtest_main)
gtest_discover_tests(report_test NO_PRETTY_VALUES TEST_PREFIX report. PROPERTIES LABELS unit TIMEOUT 60)
