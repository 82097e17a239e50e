# trace.json and trace.ompdm: what is written is read back, whatever is done to the file.
add_executable(trace_file_test
  trace_file/binary_test.cpp trace_file/counters_test.cpp trace_file/damage_test.cpp trace_file/json_text_test.cpp trace_file/round_trip_test.cpp
  trace_file/runs_test.cpp trace_file/timeline_test.cpp trace_file/truncation_test.cpp trace_file/window_test.cpp
  trace_file/one_clock_test.cpp trace_file/several_test.cpp)
target_link_libraries(trace_file_test PRIVATE ompdm_options ompdm_test_support ompdm_trace fmt::fmt
  nlohmann_json::nlohmann_json GTest::gtest_main)
gtest_discover_tests(trace_file_test NO_PRETTY_VALUES TEST_PREFIX unit. PROPERTIES LABELS unit)

# Another reader's view: Python's json, and what Perfetto asks of complete events.
find_package(Python3 COMPONENTS Interpreter)
if(Python3_Interpreter_FOUND)
  add_test(NAME unit.trace_file.python COMMAND Python3::Interpreter
    ${CMAKE_CURRENT_SOURCE_DIR}/trace_file/check_with_python.py $<TARGET_FILE:synthetic_trace>)
  set_tests_properties(unit.trace_file.python PROPERTIES LABELS unit)
else()
  message(STATUS "No Python: trace.json is not checked with another reader than ompdm's")
endif()
