# Spool -> model, on spools made by hand.
add_executable(spool_test
  spool/attribution_test.cpp spool/call_paths_test.cpp spool/clock_test.cpp spool/crafted_test.cpp spool/finish_test.cpp spool/flang_test.cpp
  spool/long_run_test.cpp spool/modules_test.cpp spool/names_test.cpp spool/normalize_test.cpp spool/owners_test.cpp spool/reading_test.cpp
  spool/runtime_name_test.cpp spool/spool_builder.cpp spool/storage_test.cpp spool/symbols_test.cpp spool/lane_bytes.cpp spool/prefault_test.cpp)
target_link_libraries(spool_test PRIVATE ompdm_options ompdm_trace ompdm_spool fmt::fmt GTest::gtest_main)
target_include_directories(spool_test PRIVATE ${PROJECT_SOURCE_DIR}/libompdm ${CMAKE_CURRENT_SOURCE_DIR})
gtest_discover_tests(spool_test NO_PRETTY_VALUES TEST_PREFIX unit. PROPERTIES LABELS unit)
