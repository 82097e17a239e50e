# What reads: machine code, spools, traces. Run under AddressSanitizer, too.
add_executable(reader_test
  figures/distribution_test.cpp
  # spool -> model, on spools made by hand
  spool/attribution_test.cpp spool/call_paths_test.cpp spool/clock_test.cpp spool/crafted_test.cpp spool/finish_test.cpp spool/flang_test.cpp
  spool/long_run_test.cpp spool/modules_test.cpp spool/names_test.cpp spool/normalize_test.cpp spool/owners_test.cpp spool/reading_test.cpp
  spool/runtime_name_test.cpp spool/spool_builder.cpp spool/storage_test.cpp spool/symbols_test.cpp spool/buffer_bytes.cpp spool/prefault_test.cpp
  # trace.json and trace.ompdm: what is written is read back, whatever is done to the file
  trace_file/binary_test.cpp trace_file/counters_test.cpp trace_file/damage_test.cpp trace_file/json_text_test.cpp trace_file/round_trip_test.cpp
  trace_file/runs_test.cpp trace_file/timeline_test.cpp trace_file/truncation_test.cpp trace_file/window_test.cpp
  trace_file/one_clock_test.cpp trace_file/several_test.cpp)
# Loops from machine code, on functions written for it.
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  add_library(code_entry_points SHARED code/entry_points.cpp)
  target_sources(reader_test PRIVATE code/allocators_test.cpp code/call_places_test.cpp code/functions.S code/loop_nest_test.cpp)
  target_link_libraries(reader_test PRIVATE code_entry_points PkgConfig::libelf)
endif()
target_link_libraries(reader_test PRIVATE ompdm_options ompdm_test_support ompdm_model ompdm_trace ompdm_spool fmt::fmt
  nlohmann_json::nlohmann_json GTest::gtest_main)
target_include_directories(reader_test PRIVATE ${PROJECT_SOURCE_DIR}/libompdm ${CMAKE_CURRENT_SOURCE_DIR})
# What goes through every byte of a file works hard.
ompdm_compile_quickly(reader_test)
ompdm_discover_tests(reader_test PREFIX reader. LABELS unit quick TIMEOUT 600)

# Another reader's view: Python's json, and what Perfetto asks of complete events.
find_package(Python3 COMPONENTS Interpreter)
if(Python3_Interpreter_FOUND)
  add_test(NAME reader.python COMMAND Python3::Interpreter
    ${CMAKE_CURRENT_SOURCE_DIR}/trace_file/check_with_python.py $<TARGET_FILE:synthetic_trace>)
  set_tests_properties(reader.python PROPERTIES LABELS "unit;quick" TIMEOUT 120)
else()
  message(STATUS "No Python: trace.json is not checked with another reader than ompdm's")
endif()
