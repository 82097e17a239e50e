add_executable(analysis_test
  analysis/activities_test.cpp
  analysis/agreement_test.cpp
  analysis/pass_finder_test.cpp analysis/code_loops_test.cpp
  calls/activations_test.cpp
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
  analysis/iterations_test.cpp
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
  analysis/counted_device_clock_test.cpp)
target_include_directories(analysis_test PRIVATE ${PROJECT_SOURCE_DIR}/tests ${CMAKE_CURRENT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/libompdm)
target_link_libraries(analysis_test PRIVATE ompdm_options ompdm_analysis ompdm_report GTest::gtest_main)
gtest_discover_tests(analysis_test NO_PRETTY_VALUES TEST_PREFIX analysis. PROPERTIES LABELS unit TIMEOUT 60)
