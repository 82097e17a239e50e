# A third of a test's compile time is these headers: they are compiled once for all test programs.
if(NOT OMPDM_PCH)
  return()
endif()
add_executable(precompiled support/precompiled.cpp)
target_link_libraries(precompiled PRIVATE ompdm_options GTest::gtest_main nlohmann_json::nlohmann_json)
target_precompile_headers(precompiled PRIVATE <gtest/gtest.h> <nlohmann/json.hpp> <algorithm> <array> <cstdint>
  <filesystem> <fstream> <map> <set> <sstream> <string> <string_view> <tuple> <vector>)

function(precompile_tests directory)
  get_property(targets DIRECTORY ${directory} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    get_target_property(libraries ${target} LINK_LIBRARIES)
    # The headers are compiled without a single target's sanitizers.
    if(type STREQUAL "EXECUTABLE" AND "GTest::gtest_main" IN_LIST libraries AND NOT target STREQUAL "precompiled" AND
        NOT "ompdm_sanitized" IN_LIST libraries)
      target_precompile_headers(${target} REUSE_FROM precompiled)
    endif()
  endforeach()
  get_property(directories DIRECTORY ${directory} PROPERTY SUBDIRECTORIES)
  foreach(below IN LISTS directories)
    precompile_tests(${below})
  endforeach()
endfunction()
precompile_tests(${CMAKE_CURRENT_SOURCE_DIR})
