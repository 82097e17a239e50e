// Edits that would lose data, or results of another input: what is said of such programs instead.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "advice.h"
#include "recorded.h"

namespace ompdm::e2e::harm_test {
namespace {

Json report_of(const std::string& name, const std::vector<std::string>& words = {}) {
  std::vector<std::string> command = {program(name)};
  command.insert(command.end(), words.begin(), words.end());
  return record({std::move(command), {{"OMPDM_HASH", "full"}}}).report;
}

/// Null where there is none.
Json finding_of(const Json& report, const std::string& pattern, const std::string& variable = {}) {
  for (const Json& one : report["findings"]) {
    if (one["pattern"] != pattern) continue;
    if (variable.empty() || one["variable"] == variable) return one;
  }
  return {};
}

// A program whose memory is only allocated needs its first transfer.
TEST(Harm, ToSendOnceIsTheMappingsClause) {
  const Json report = report_of("constant_table");
  const int enter = marked_line("constant_table.cpp", "enter");
  const Json update = finding_of(report, "duplicate_transfer", "f");
  ASSERT_FALSE(update.is_null()) << report["findings"];
  EXPECT_EQ(update["edits"].size(), 2U);
  expect_edit(update, "replace target enter data: to f[0:n]", enter);
  expect_edit(update, "remove target update: to f[0:n]",
              marked_line("constant_table.cpp", "update"));
  const Json always = finding_of(report, "duplicate_transfer", "t");
  ASSERT_FALSE(always.is_null()) << report["findings"];
  expect_edit(always, "replace target enter data: to t[0:n]", enter);
  expect_edit(always, "replace target: to t[0:n]");
}

TEST(Harm, ACallThatLoopsIsNotTakenAway) {
  const Json found = finding_of(report_of("keep_the_last"), "unused_transfer");
  ASSERT_FALSE(found.is_null());
  EXPECT_EQ(found["count"], 4);
  EXPECT_TRUE(found["edits"].empty()) << found["edits"];
}

// It is kept instead: its copy back is no finding of its own.
TEST(Harm, AnOutputThatWasComputedTwiceAlikeComesBack) {
  const Json report = report_of("computed_twice");
  EXPECT_TRUE(finding_of(report, "unmodified_copy_back", "out").is_null()) << report["findings"];
  EXPECT_FALSE(finding_of(report, "round_trip_transfer").is_null()) << report["findings"];
}

TEST(Harm, OneOfTwoSwappedNamesIsPossible) {
  const Json report = report_of("swapped", {"2"});
  const Json found = finding_of(report, "per_iteration_mapping");
  ASSERT_FALSE(found.is_null()) << report["findings"];
  EXPECT_EQ(found["variable"], "vo");
  EXPECT_EQ(found["confidence"], "possible");
  EXPECT_EQ(finding_of(report_of("swapped", {"5"}), "per_iteration_mapping")["variable"], "vi, vo");
}

TEST(Harm, WhatTheHostReadsInBetweenIsSparedAtMost) {
  const Json report = report_of("shared_work");
  ASSERT_FALSE(finding_of(report, "per_iteration_mapping").is_null());
  EXPECT_TRUE(report["prediction"]["at_most"]);
}

TEST(Harm, ALoopMayHaveNoIteration) {
  const Json found = finding_of(report_of("no_pass", {"5"}), "unused_transfer", "a");
  ASSERT_FALSE(found.is_null());
  EXPECT_NE(std::ranges::find(found["unless"], "no_pass"), found["unless"].end())
      << found["unless"];
}

}  // namespace
}  // namespace ompdm::e2e::harm_test
