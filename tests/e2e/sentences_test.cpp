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

}  // namespace
}  // namespace ompdm::e2e::sentences_test
