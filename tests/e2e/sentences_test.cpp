// What the report says of small programs of which it once said what was not so: see cases/.
#include <gtest/gtest.h>

#include <string>

#include "recorded.h"

namespace ompdm::e2e::sentences_test {
namespace {

std::string patterns(const Json& report) {
  std::string names;
  for (const Json& finding : report["findings"]) {
    names += (names.empty() ? "" : " ") + finding["pattern"].get<std::string>();
  }
  return names;
}

// An array of 80 bytes costs a GPU as much as one of 80 KB: latency.
TEST(Sentences, OfAnArrayOfAFewBytes) {
  const Json report = record({{program("ledger_small"), "20"}}).report;
  ASSERT_EQ(patterns(report), "per_iteration_mapping");
  EXPECT_EQ(report["findings"][0]["variable"], "a, c");
  EXPECT_EQ(report["findings"][0]["count"], 4 * 40 - 4);
}

// The updates run late, one behind the other: nothing is known of what they were to bring.
TEST(Sentences, OfUpdatesThatNothingWaitsFor) {
  EXPECT_EQ(patterns(record({{program("w04_nowait_no_wait")}}).report), "");
}

// What is sent to the device was to come back: no transfer of it is "needed".
TEST(Sentences, OfAnUpdateInTheWrongDirection) {
  EXPECT_EQ(patterns(record({{program("x02_update_wrong_way")}}).report), "");
}

// One array is x of one call and y of another: an update of x would bring the host's old copy over
// the y that stays.
TEST(Sentences, OfWhatAnotherFindingKeepsByAnotherName) {
  EXPECT_EQ(patterns(record({{program("kept_by_another_name")}}).report), "per_iteration_mapping");
}

// C = AB, D = CB, C = AD: each name stands for two arrays, and no edit tells which.
TEST(Sentences, OfNamesThatStandForTwoArraysHaveNoEdit) {
  const Json report = record({{program("products")}}).report;
  for (const Json& finding : report["findings"]) EXPECT_TRUE(finding["edits"].empty()) << finding;
}

}  // namespace
}  // namespace ompdm::e2e::sentences_test
