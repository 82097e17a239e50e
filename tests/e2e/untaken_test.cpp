// Branches of a loop that a run does not take, from the code of real programs.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "recorded.h"

namespace ompdm::e2e::untaken_test {
namespace {

int line_of(const std::string& mark) {
  int line = 1;
  for (const std::string& text : lines_of(text_of(OMPDM_E2E_FINDINGS "/untaken.cpp"))) {
    if (text.ends_with("// @" + mark)) return line;
    ++line;
  }
  ADD_FAILURE() << mark;
  return 0;
}

class Untaken : public ::testing::TestWithParam<std::string> {
 protected:
  static Json finding(const std::string& way, const std::string& at) {
    const Json report = record({{program("untaken_" + GetParam()), way, at}}).report;
    Json found;
    for (const Json& one : report["findings"]) {
      if (one["pattern"] == "serial_kernel") continue;  // regions that set one element
      EXPECT_TRUE(found.is_null()) << report["findings"];
      found = one;
    }
    if (found.is_null())
      ADD_FAILURE() << report["findings"];
    else
      EXPECT_EQ(found["pattern"], "per_iteration_mapping");
    return found;
  }

  static void expect_withheld(const Json& found, const std::string& directive,
                              const std::string& mark) {
    EXPECT_TRUE(found["edits"].empty()) << found["edits"];
    EXPECT_EQ(found["memory_bytes"], 0);
    ASSERT_EQ(found["unreached"].size(), 1U) << found["unreached"];
    const Json& one = found["unreached"][0];
    EXPECT_EQ(one["directive"], directive);
    EXPECT_EQ(one["line"], line_of(mark));
    EXPECT_EQ(one["on_host"], mark == "host");
    const std::string place = "untaken.cpp:" + std::to_string(line_of(mark));
    EXPECT_NE(found["advice"].get<std::string>().find(place), std::string::npos);
  }

  static void expect_edits(const Json& found) {
    EXPECT_TRUE(found["unreached"].empty()) << found["unreached"];
    EXPECT_FALSE(found["edits"].empty());
  }
};

TEST_P(Untaken, InTheLoopItselfLeavesNoEdit) {
  expect_withheld(finding("loop", "-1"), "target update", "update");
  expect_edits(finding("loop", "7"));
}

// It is reached, but not from the loop.
TEST_P(Untaken, InAFunctionThatTheLoopCallsLeavesNoEdit) {
  if (GetParam() == "O3") {
    GTEST_SKIP() << "the call behind a loop that was unrolled counts as one of its own";
  }
  expect_withheld(finding("function", "-1"), "target", "probe");
  expect_edits(finding("function", "7"));
}

TEST_P(Untaken, InATaskLeavesNoEdit) {
  expect_withheld(finding("task", "-1"), "target", "nowait");
  expect_edits(finding("task", "7"));
}

TEST_P(Untaken, InATeamOfThreadsLeavesNoEdit) {
  expect_withheld(finding("team", "-1"), "target update", "team");
  expect_edits(finding("team", "7"));
}

// Nothing tells whether the host ran it.
TEST_P(Untaken, ToTheHostLeavesNoEdit) {
  expect_withheld(finding("host", "-1"), "target", "host");
  expect_withheld(finding("host", "7"), "target", "host");
}

TEST_P(Untaken, BehindTheLoopDoesNotMatter) { expect_edits(finding("after", "-1")); }

INSTANTIATE_TEST_SUITE_P(, Untaken, ::testing::Values("O0", "O2", "O3"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace ompdm::e2e::untaken_test
