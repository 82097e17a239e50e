# Loops from machine code, on functions written for it.
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  add_executable(code_test code/allocators_test.cpp code/call_places_test.cpp code/functions.S code/loop_nest_test.cpp)
  add_library(code_entry_points SHARED code/entry_points.cpp)
  target_link_libraries(code_test PRIVATE code_entry_points ompdm_options ompdm_trace PkgConfig::libelf GTest::gtest_main)
  target_include_directories(code_test PRIVATE ${PROJECT_SOURCE_DIR}/libompdm)
  gtest_discover_tests(code_test NO_PRETTY_VALUES TEST_PREFIX unit. PROPERTIES LABELS unit)
endif()
