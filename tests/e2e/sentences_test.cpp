// What the report says of small programs of which it once said what was not so: see cases/.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "recorded.h"

namespace ompdm::e2e::sentences_test {
namespace {

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

// Data is sent to the device where it should be copied back: no transfer of it is "needed".
TEST(Sentences, OfAnUpdateInTheWrongDirection) {
  EXPECT_EQ(patterns(record({{program("x02_update_wrong_way")}}).report), "");
}

// One array is x of one call and y of another. An update of x would send the host's old copy over
// the y that is kept.
TEST(Sentences, OfWhatAnotherFindingKeepsByAnotherName) {
  EXPECT_EQ(patterns(record({{program("kept_by_another_name")}}).report), "per_iteration_mapping");
}

// C = AB, D = CB, C = AD: each name stands for two arrays, and no edit tells which.
TEST(Sentences, OfNamesThatStandForTwoArraysHaveNoEdit) {
  const Json report = record({{program("products")}}).report;
  for (const Json& finding : report["findings"]) EXPECT_TRUE(finding["edits"].empty()) << finding;
}

// Sections of several extents: no clause keeps them, and their needless transfers are reported.
TEST(Sentences, OfWhatNoClauseKeeps) {
  const Json report = record({{program("halving")}}).report;
  EXPECT_EQ(patterns(report), "");
  ASSERT_EQ(report["doubted"].size(), 1U);
  EXPECT_EQ(report["doubted"][0]["reason"], "no_change_known");
  EXPECT_EQ(report["doubted"][0]["transfers"], 9) << "what is larger than 256 bytes, but the first";
}

TEST(Sentences, OfSlicesThatComeAgainInALaterEntry) {
  const Json report = record({{program("chunks")}}).report;
  ASSERT_EQ(patterns(report), "per_iteration_mapping repeated_allocation");
  for (const Json& edit : report["findings"][0]["edits"]) {
    if (edit["of"] != "loop") continue;
    const int line = edit["places"][0]["line"];
    EXPECT_TRUE(line == 9 || (line == 10 && edit.value("all_entries", false))) << edit;
  }
}

TEST(Sentences, OfALoopBeforeWhichMemoryIsMade) {
  const Json report = record({{program("made_before")}}).report;
  ASSERT_EQ(patterns(report), "per_iteration_mapping");
  EXPECT_EQ(report["findings"][0]["confidence"], "likely");
}

TEST(Sentences, OfWhatIsCertainBesideWhatIsNot) {
  const Json report = record({{program("table_and_scratch")}}).report;
  ASSERT_GE(report["findings"].size(), 1U);
  EXPECT_EQ(report["findings"][0]["variable"], "tab");
  EXPECT_EQ(report["findings"][0]["confidence"], "likely");
}

TEST(Sentences, OfAFunctionThatCallsItself) {
  const Json report = record({{program("deep")}}).report;
  ASSERT_EQ(patterns(report), "per_iteration_mapping");
  const Json& before = report["findings"][0]["edits"][0];
  EXPECT_EQ(before["of"], "calls");
  EXPECT_TRUE(before["words"].get<std::string>().starts_with("the call of step at deep.c:"))
      << before;
}

// What the function fills by one name is what it reads by another, the first time.
TEST(Sentences, OfDataThatIsNotOnlyFilled) {
  const Json report = record({{program("two_phases")}}).report;
  bool any = false;
  for (const Json& finding : report["findings"]) {
    const Json& first = finding["edits"][0];
    if (finding["line"] != 14) continue;
    any = true;
    EXPECT_EQ(first["clauses"][0]["kind"], "to") << first;
  }
  EXPECT_TRUE(any) << report["findings"];
}

TEST(Sentences, OfANameOfWhichEachPieceStays) {
  const Json report = record({{program("push_pop")}}).report;
  ASSERT_EQ(patterns(report), "per_iteration_mapping");
  EXPECT_EQ(report["findings"][0]["confidence"], "likely");
}

// Each directive has the calls that led to it first.
TEST(Sentences, OfALoopNameNoCallsOfAnother) {
  const Json report = record({{program("two_loops")}}).report;
  std::set<int> lines;
  for (const Json& finding : report["findings"]) {
    ASSERT_FALSE(finding["edits"].empty()) << finding;
    const Json& first = finding["edits"][0];
    ASSERT_EQ(first.value("calls", Json::array()).size(), 1U) << first;
    lines.insert(first["calls"][0]["line"].get<int>());
  }
  EXPECT_EQ(lines, (std::set<int>{24, 30, 33})) << report["findings"];
}

// One finding leaves clauses as they are that another would write again.
TEST(Sentences, OfOneDirectiveDoNotContradictEachOther) {
  const Json report = record({{program("copied_out_twice")}}).report;
  std::string kinds;
  for (const Json& finding : report["findings"]) {
    for (const Json& edit : finding["edits"]) {
      if (edit["kind"] == "keep" || edit["kind"] == "replace") kinds += edit["kind"];
    }
  }
  EXPECT_TRUE(kinds == "keep" || kinds == "replace") << kinds << report["findings"];
  EXPECT_EQ(patterns(record({{program("data_alone")}}).report),
            "unused_allocation unused_allocation")
      << "of what comes back, and of what does not";
}

}  // namespace
}  // namespace ompdm::e2e::sentences_test
