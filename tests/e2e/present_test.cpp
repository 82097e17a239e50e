// Edits beside directives that find data present: what these have done about it, or left undone,
// has to stay as it is.
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "advice.h"
#include "recorded.h"

namespace ompdm::e2e::present_test {
namespace {

Json findings_of(const std::string& way) {
  return record({{program("present"), way, "20000", "12"}}).report["findings"];
}

/// The one finding that there is; fails the test if there are others.
Json only(const std::string& way, const std::string& pattern) {
  const Json found = findings_of(way);
  EXPECT_EQ(found.size(), 1U) << found;
  if (found.empty()) return {};
  EXPECT_EQ(found[0]["pattern"], pattern);
  return found[0];
}

int line_of(const std::string& mark) { return marked_line("present.c", mark); }

TEST(Present, IsNeededByWhatFindsItAndWouldMapItItself) {
  const Json found = findings_of("returned_by_another");
  EXPECT_TRUE(found.empty()) << found;
}

// What the directive does about its other items goes on.
TEST(Present, ThatWasNotIsLeftOutBesideOtherItems) {
  using Way = std::pair<const char*, const char*>;
  for (const auto& [way, mark] :
       {Way("updated_beside", "update"), Way("counted_down_beside", "count")}) {
    const Json found = only(way, "per_iteration_mapping");
    const std::string directive = mark == std::string("update") ? "update" : "exit data";
    expect_edit(found, "leave_out target " + directive + " (nothing_there): a[0:n]", line_of(mark));
  }
  expect_edit(only("ended_beside", "round_trip_transfer"),
              "leave_out target exit data (nothing_there): a[0:n]", line_of("end"));
}

TEST(Present, BehindTheLoopIsNotAskedFor) {
  for (const Json& edit : only("ended_later", "per_iteration_mapping")["edits"]) {
    EXPECT_NE(edit["when"], "nothing_there") << edit;
  }
}

// An update beside the directive would send the host's copy over what a kernel has changed.
TEST(Present, ForADirectiveThatMovesItElsewhereLeavesNoEdit) {
  const Json found = findings_of("moved_or_found");
  EXPECT_TRUE(found.empty()) << found;
}

// The update from of one finding would undo what the other spares.
TEST(Present, EachTimeIsNoEditWhereAnotherFindingHasTheTransfers) {
  expect_edit(only("returned_by_one_edit", "unmodified_copy_back"), "replace target: to a[0:n]");
}

TEST(Present, ScalarsHaveAValueOfTheirOwn) {
  const Json found = findings_of("scalar_found");
  EXPECT_TRUE(found.empty()) << found;
}

TEST(Present, SmallArraysAreNoScalars) {
  const Json found = only("array_as_small", "mapped_scalars");
  EXPECT_EQ(found["variable"], "one");
  EXPECT_TRUE(found["edits"].empty()) << found["edits"];
}

// The runtime refuses the whole where a part is there.
TEST(Present, PartsKeepTheWholeFromBeingMappedBefore) {
  const Json found = findings_of("part_there_before");
  EXPECT_TRUE(found.empty()) << found;
}

TEST(Present, InItsTurnIsNotWhatWasLeft) {
  expect_edit(only("left_beside", "device_leak"), "insert target exit data after: delete a[0:n]");
}

}  // namespace
}  // namespace ompdm::e2e::present_test
