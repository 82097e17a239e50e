# Labels say when a test runs: `quick` (scripts/test --quick), `smoke` (the same, a real program), `runtime` (again with
# the other LLVM), `slow` (scripts/test --all alone). A test without `slow` runs by default.
include(GoogleTest)

# ompdm_discover_tests(TARGET PREFIX prefix LABELS label... [TIMEOUT seconds] [MATCH regex label]... [WHEN_RUN])
#
# Each test of the GoogleTest program is a test of its own, PREFIXSuite.Name, with the labels. A suite whose name ends in
# `Slow` is labelled slow instead of quick.
#   MATCH     a further label for tests whose name after the prefix matches; the regex has no semicolons
#   WHEN_RUN  tests are listed when ctest starts, not after the link: for programs that may be built elsewhere
function(ompdm_discover_tests target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "WHEN_RUN" "PREFIX;TIMEOUT" "LABELS;MATCH")
  set(mode POST_BUILD)
  if(arg_WHEN_RUN)
    set(mode PRE_TEST)
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 60)
  endif()
  gtest_discover_tests(${target} NO_PRETTY_VALUES TEST_PREFIX ${arg_PREFIX} DISCOVERY_MODE ${mode}
    PROPERTIES TIMEOUT ${arg_TIMEOUT})
  set(rules ${CMAKE_CURRENT_BINARY_DIR}/${target}_labels.cmake)
  file(WRITE ${rules} "set(tests \${${target}_TESTS})\nset(prefix [==[${arg_PREFIX}]==])\n"
    "set(labels [==[${arg_LABELS}]==])\nset(matches [==[${arg_MATCH}]==])\n"
    "include([==[${PROJECT_SOURCE_DIR}/tests/label_tests.cmake]==])\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${rules})
endfunction()
