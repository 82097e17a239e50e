# ompdm_discover_tests(TARGET LABELS label... [PREFIX prefix] [TIMEOUT seconds] [ENVIRONMENT NAME=value]
#   [PRE_TEST] [MATCH regex label]...)
#
# The tests of a GoogleTest program, for ctest, with these labels and with those whose regex matches the test's name:
#   quick     scripts/test --quick runs it
#   smoke     the same, of a real program
#   runtime   scripts/test runs it again with the other LLVM's programs and runtime
#   slow      scripts/test --all alone runs it. A suite whose name ends in `Slow` gets this label instead of `quick`: so
#             whoever writes a test chooses where it runs
# Options:
#   PREFIX    of the tests' names
#   TIMEOUT   of each test, in seconds (120)
#   ENVIRONMENT   of each test, besides OMPDM_SOURCE=off: a test that asks the sources says so
#   PRE_TEST  ask the program for its tests when ctest starts: it needs what is built after it
include(GoogleTest)

function(ompdm_discover_tests target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "PRE_TEST" "PREFIX;TIMEOUT;ENVIRONMENT" "LABELS;MATCH")
  set(mode POST_BUILD)
  if(arg_PRE_TEST)
    set(mode PRE_TEST)
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  set(environment OMPDM_SOURCE=off)
  if(arg_ENVIRONMENT)
    string(APPEND environment "\\;${arg_ENVIRONMENT}")
  endif()
  set(properties TIMEOUT ${arg_TIMEOUT} ENVIRONMENT "${environment}")
  gtest_discover_tests(${target} NO_PRETTY_VALUES TEST_PREFIX "${arg_PREFIX}" DISCOVERY_MODE ${mode}
    DISCOVERY_TIMEOUT 60 PROPERTIES ${properties})
  # gtest_discover_tests itself takes one label alone. This runs after what it wrote. A suite's name ends at a dot, or
  # at a slash and a number.
  set(rules "")
  while(arg_MATCH)
    list(POP_FRONT arg_MATCH regex label)
    string(APPEND rules "  if(test MATCHES [==[${regex}]==])\n    list(APPEND labels ${label})\n  endif()\n")
  endwhile()
  set(file ${CMAKE_CURRENT_BINARY_DIR}/${target}_labels.cmake)
  file(WRITE ${file} "foreach(test IN LISTS ${target}_TESTS)
  set(labels \"${arg_LABELS}\")
${rules}  if(test MATCHES [[Slow(/[0-9]+)?\\.]])
    list(APPEND labels slow)
    list(REMOVE_ITEM labels quick)
  endif()
  set_tests_properties(\${test} PROPERTIES LABELS \"\${labels}\")
endforeach()
")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${file})
endfunction()
