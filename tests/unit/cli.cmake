# The verbs' pieces, and the command itself beside a stand-in for the recorder.
add_library(cli_fake_recorder MODULE cli/fake_recorder.c)
set_target_properties(cli_fake_recorder PROPERTIES PREFIX "" OUTPUT_NAME cli_fake_recorder)

add_executable(cli_test cli/detached_work_test.cpp cli/attach_test.cpp cli/build_log_test.cpp cli/command_test.cpp cli/compile_arguments_test.cpp cli/completion_test.cpp cli/detail_test.cpp cli/changed_files_test.cpp cli/fix_times_test.cpp cli/inputs_test.cpp cli/launch_test.cpp cli/long_run_test.cpp
  cli/man_test.cpp
  cli/offload_image_test.cpp cli/progress_test.cpp cli/report_runs_test.cpp cli/scratch.cpp cli/session_test.cpp cli/shell_words_test.cpp
  cli/source_files_test.cpp cli/words_test.cpp cli/clock_words_test.cpp cli/timeline_test.cpp cli/output_test.cpp)
if(TARGET ompdm_export)
  find_package(SQLite3 REQUIRED)
  target_sources(cli_test PRIVATE cli/export_test.cpp)
  target_link_libraries(cli_test PRIVATE SQLite::SQLite3)
endif()
target_include_directories(cli_test PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} ${tests_root} ${PROJECT_SOURCE_DIR}/libompdm)
target_compile_definitions(cli_test PRIVATE OMPDM_COMMAND="$<TARGET_FILE:ompdm>"
  OMPDM_FAKE_RECORDER="$<TARGET_FILE:cli_fake_recorder>" OMPDM_MAN_PAGES="${PROJECT_BINARY_DIR}/cli/man")
target_link_libraries(cli_test PRIVATE ompdm_options ompdm_test_support ompdm_verbs GTest::gtest_main)
add_dependencies(cli_test ompdm ompdm_man ompdm_build_log cli_fake_recorder)
ompdm_discover_tests(cli_test PREFIX cli. LABELS unit quick TIMEOUT 120)
