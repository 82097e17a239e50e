// Edits on data that is kept, or not copied any more. They depend on other copies of it, on how it
// is filled where a loop has no iteration, and on its names at both ends.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "advice.h"
#include "recorded.h"

namespace ompdm::e2e::kept_test {
namespace {

/// The one finding that there is; fails the test if there are others.
Json only(const std::string& way, const std::string& pattern) {
  const Json found = record({{program("kept"), way, "20000", "12"}}).report["findings"];
  EXPECT_EQ(found.size(), 1U) << found;
  if (found.empty()) return {};
  EXPECT_EQ(found[0]["pattern"], pattern);
  return found[0];
}

int line_of(const std::string& mark) { return marked_line("kept.c", mark); }

void expect_in_advice(const Json& finding, const std::string& text) {
  const std::string advice = finding["advice"];
  EXPECT_NE(advice.find(text), std::string::npos) << advice;
}

bool has_unless(const Json& finding, const char* what) {
  return std::ranges::find(finding["unless"], what) != finding["unless"].end();
}

TEST(Kept, IsNotSentOverByWhatSentTheHostsCopyMeanwhile) {
  expect_edit(only("updated_within", "per_iteration_mapping"), "remove target update: to a[0:n]",
              line_of("within"));
  expect_edit(only("sent_always", "per_iteration_mapping"), "replace target: to a[0:n]");
}

TEST(Kept, GoesOnBeingCopiedTheOtherWayWhereItIsThere) {
  expect_edit(only("returned_always", "unmodified_copy_back"), "replace target: always, to a[0:n]");
  expect_edit(only("overwritten_always", "unused_transfer"),
              "replace target data: always, from a[0:n]");
}

TEST(Kept, IsSentWhereTheHostHasChangedItThoughItNeverDid) {
  const Json found = only("sent_the_same", "duplicate_transfer");
  expect_edit(found, "replace target: to a[0:n]");
  expect_edit(found, "insert target update before (host_changed): to a[0:n]");
}

// Data that is copied back after the loop has to be present even if nothing in the loop fills it.
TEST(Kept, IsSentBeforeALoopThatFillsIt) {
  for (const char* way : {"no_pass", "not_filled", "one_pass_otherwise"}) {
    expect_edit(only(way, "per_iteration_mapping"), "insert target enter data before: to a[0:n]");
  }
}

TEST(Kept, UnderANameForSomeOfItIsNamedAsAWhole) {
  const Json found = only("grows", "per_iteration_mapping");
  for (const Json& edit : found["edits"]) {
    if (edit["kind"] != "insert") continue;
    EXPECT_FALSE(edit["in_scope"]) << edit;
    EXPECT_TRUE(edit["clauses"][0]["items"][0]["varies"]) << edit;
  }
  expect_in_advice(found, "a[0:m] was less at times: name all of it (160 KB)\n");
}

TEST(Kept, UnderANameThatTheLoopDeclaresIsNamedByItsValue) {
  expect_in_advice(only("named_later", "per_iteration_mapping"),
                   "a[0:m] has names that are only declared by line " +
                       std::to_string(line_of("later")) + ": write their values\n");
}

// The edits are made for all entries into the loop.
TEST(Kept, IsNotAroundALoopThatMapsMoreOfItInAnEntryOfOneIteration) {
  EXPECT_EQ(only("one_pass_of_more", "round_trip_transfer")["variable"], "a");
}

TEST(Kept, IsCalledAtItsEndAsItIsCalledThere) {
  const Json found = only("called_otherwise", "round_trip_transfer");
  expect_edit(found, "insert target enter data before: to p[0:n]", line_of("p"));
  expect_edit(found, "insert target exit data after: from q[0:n]", line_of("q"));
}

TEST(Kept, UnderANameThatIsOtherDatasAfterTheLoopIsInWords) {
  const Json found = only("swapped_away", "per_iteration_mapping");
  for (const Json& edit : found["edits"]) {
    if (edit["kind"] == "insert") {
      EXPECT_FALSE(edit["in_scope"]) << edit;
    }
  }
  EXPECT_TRUE(found["edits"][0]["clauses"][0]["items"][0]["strays"]) << found["edits"];
}

TEST(Kept, OnTheHostMayHaveToBeRestored) {
  const Json found = only("restored", "unmodified_copy_back");
  EXPECT_TRUE(has_unless(found, "host_wants_restore")) << found["unless"];
  EXPECT_TRUE(has_unless(found, "kernel_changes")) << found["unless"];
}

// The kernel is not the directive's that maps it.
TEST(Kept, IsMadeGoodWhereACopyEndsThatAKernelSpoilt) {
  expect_edit(only("spoilt", "per_iteration_mapping"),
              "insert target update after (kernel_changed): to a[0:n]", line_of("spoil"));
}

}  // namespace
}  // namespace ompdm::e2e::kept_test
