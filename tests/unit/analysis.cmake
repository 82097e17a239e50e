# Model -> figures -> reports, and the sums of many.
add_executable(analysis_test
  analysis/activities_test.cpp
  analysis/agreement_test.cpp
  analysis/iteration_finder_test.cpp analysis/code_loops_test.cpp
  calls/activations_test.cpp
  analysis/clause_effects_test.cpp analysis/memory_test.cpp analysis/check_test.cpp analysis/staging_test.cpp
  analysis/comparison_test.cpp
  analysis/device_clock_test.cpp
  analysis/directive_paths_test.cpp
  analysis/directives_test.cpp
  analysis/duplicate_transfer_test.cpp
  analysis/edited_items_test.cpp
  analysis/edits_test.cpp
  analysis/host_waits_test.cpp
  analysis/idle_directives_test.cpp
  analysis/interval_union_test.cpp
  analysis/invariant_test.cpp
  analysis/loops_test.cpp
  analysis/keep_data_test.cpp
  analysis/left_out_test.cpp
  analysis/kernel_findings_test.cpp
  analysis/link_test.cpp analysis/kernel_factor_test.cpp
  analysis/loop_place_test.cpp
  analysis/mapped_scalars_test.cpp
  analysis/mapper_walk_test.cpp
  analysis/memory_findings_test.cpp
  analysis/unused_transfer_test.cpp
  analysis/per_iteration_contents_test.cpp
  analysis/per_iteration_mapping_test.cpp
  analysis/named_data_test.cpp
  analysis/source_facts_test.cpp
  analysis/namings_test.cpp
  analysis/overlaps_test.cpp
  analysis/partial_update_test.cpp
  analysis/repeated_copy_back_test.cpp
  analysis/repeats_test.cpp
  analysis/resident_data_test.cpp
  analysis/round_trip_transfer_test.cpp
  analysis/settle_test.cpp
  analysis/templates_test.cpp
  analysis/unmodified_copy_back_test.cpp
  analysis/add_finding_test.cpp
  analysis/counted_device_clock_test.cpp
  report/comparison_test.cpp report/ladder_test.cpp
  report/conditions_test.cpp report/fortran_wording_test.cpp report/pragma_test.cpp
  report/rendering_test.cpp report/headline_test.cpp report/gpu_trace_test.cpp report/call_path_tables_test.cpp report/left_out_test.cpp
  report/evidence_test.cpp
  report/nearest_test.cpp
  report/page_test.cpp report/page_numbers.cpp
  report/source_names_test.cpp
  report/findings_summary_test.cpp report/table_test.cpp
  report/units_test.cpp
  report/counted_run_test.cpp
  summary/job_report_test.cpp summary/merge_test.cpp summary/random_summary.cpp summary/summarize_test.cpp
  summary/programs_test.cpp)
target_include_directories(analysis_test PRIVATE ${tests_root} ${CMAKE_CURRENT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/libompdm)
target_link_libraries(analysis_test PRIVATE ompdm_options ompdm_test_support ompdm_report ompdm_trace
  nlohmann_json::nlohmann_json ZLIB::ZLIB GTest::gtest_main)
ompdm_discover_tests(analysis_test PREFIX analysis. LABELS unit quick)

# A job of made-up ranks, to measure with: make_summaries FOLDER COUNT.
add_executable(make_summaries EXCLUDE_FROM_ALL ${tests_root}/support/summaries_main.cpp summary/random_summary.cpp)
target_include_directories(make_summaries PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(make_summaries PRIVATE ompdm_options ompdm_summary)
add_dependencies(by_hand make_summaries)
