// Findings of runs of one program on several inputs, held against each other.
#include <gtest/gtest.h>

#include <initializer_list>
#include <utility>
#include <vector>

#include "analysis/one_array.h"
#include "ompdm/comparison.h"

namespace ompdm::analysis::agreement_test {
namespace {

using test::OneArray;

/// Iterations of a loop that each map the array again, and find it as the one before has left it.
void iteration_by(OneArray& run, int iterations) {
  for (int iteration = 0; iteration < iterations; ++iteration)
    run.map_tofrom(run.solve, 10 + iteration, 11 + iteration);
}

/// The same, but the host has changed the array each time.
void iteration_changed(OneArray& run, int iterations) {
  for (int iteration = 0; iteration < iterations; ++iteration) {
    run.map_tofrom(run.solve, 10 + 2 * iteration, 11 + 2 * iteration);
  }
}

Analysis plain(int iterations = 8) {
  OneArray run;
  iteration_by(run, iterations);
  return analyze(run.take());
}

Analysis changed() {
  OneArray run;
  iteration_changed(run, 8);
  return analyze(run.take());
}

Analysis elsewhere() {
  OneArray run;
  run.map_tofrom(run.check, 10, 11);
  return analyze(run.take());
}

std::vector<Analysis> agreed(std::initializer_list<Analysis> runs) {
  std::vector<Analysis> all(runs);
  agree(all);
  return all;
}

const Finding& mapping_of(const Analysis& run) {
  for (const Finding& finding : run.findings) {
    if (finding.pattern == "per_iteration_mapping") return finding;
  }
  ADD_FAILURE() << "no such finding";
  static const Finding kNone;
  return kNone;
}

using Verdicts = std::vector<RunVerdict>;

TEST(Agreement, KeepsWhatHoldsInAllRuns) {
  const auto runs = agreed({plain(8), plain(5)});
  EXPECT_EQ(runs[0].run, 1U);
  EXPECT_EQ(runs[1].run, 2U);
  for (const Analysis& run : runs) {
    EXPECT_EQ(mapping_of(run).runs, (Verdicts{RunVerdict::kHolds, RunVerdict::kHolds}));
    EXPECT_FALSE(mapping_of(run).edits.empty());
    EXPECT_EQ(mapping_of(run).confidence, Confidence::kLikely);
  }
}

TEST(Agreement, TakesEditsThatAnotherRunSpeaksAgainst) {
  const Finding before = mapping_of(plain());
  ASSERT_FALSE(before.edits.empty());
  const auto runs = agreed({plain(), changed()});
  const Finding& after = mapping_of(runs[0]);
  EXPECT_EQ(after.runs.size(), 2U);
  EXPECT_EQ(after.runs[0], RunVerdict::kHolds);
  EXPECT_TRUE(after.runs[1] == RunVerdict::kNeeded || after.runs[1] == RunVerdict::kOtherEdits);
  EXPECT_TRUE(after.edits.empty());
  EXPECT_TRUE(after.unless.empty());
  EXPECT_EQ(after.memory_bytes, 0U);
  EXPECT_EQ(after.wasted_bytes, before.wasted_bytes);
  EXPECT_EQ(after.count, before.count);
}

TEST(Agreement, IsNotAskedOfARunThatDoesNotComeThere) {
  const auto runs = agreed({plain(), elsewhere(), plain()});
  const Finding& finding = mapping_of(runs[0]);
  EXPECT_EQ(finding.runs,
            (Verdicts{RunVerdict::kHolds, RunVerdict::kUnreached, RunVerdict::kHolds}));
  EXPECT_FALSE(finding.edits.empty());
  EXPECT_EQ(finding.confidence, Confidence::kLikely);
}

// A single execution repeats nothing, whatever the other runs do.
TEST(Agreement, IsPossibleOnlyWhereARunTellsTooLittle) {
  const auto runs = agreed({plain(), plain(1)});
  const Finding& finding = mapping_of(runs[0]);
  EXPECT_EQ(finding.runs, (Verdicts{RunVerdict::kHolds, RunVerdict::kUnrecorded}));
  EXPECT_FALSE(finding.edits.empty());
  EXPECT_EQ(finding.confidence, Confidence::kPossible);
}

TEST(Agreement, KnowsThatContentsWereNotLookedAt) {
  Analysis looked = plain();
  looked.recording.hashing = "full";
  Analysis blind = changed();
  blind.recording.hashing = "off";
  blind.findings.clear();
  const auto runs = agreed({looked, blind});
  EXPECT_EQ(mapping_of(runs[0]).runs[1], RunVerdict::kUnrecorded);
}

// A finding cannot be missed where it was not looked for.
TEST(Agreement, IsNotAskedOfWhatWasOnlyCounted) {
  for (const auto detail : {Recording::Detail::kAggregates, Recording::Detail::kWindow,
                            Recording::Detail::kSpoolLimit}) {
    Analysis part = changed();
    part.findings.clear();
    part.too_small.clear();
    part.recording.detail = detail;
    part.recording.recorded_to = part.process.wall / 2;
    const auto runs = agreed({plain(), part});
    EXPECT_EQ(mapping_of(runs[0]).runs, (Verdicts{RunVerdict::kHolds, RunVerdict::kUnrecorded}));
    EXPECT_FALSE(mapping_of(runs[0]).edits.empty());
    EXPECT_EQ(mapping_of(runs[0]).confidence, Confidence::kPossible);
  }
}

TEST(Agreement, IsAskedOfAWindowThatWasOpenAllTheTime) {
  Analysis whole = changed();
  whole.findings.clear();
  whole.too_small.clear();
  whole.recording.detail = Recording::Detail::kWindow;
  const auto runs = agreed({plain(), whole});
  EXPECT_EQ(mapping_of(runs[0]).runs[1], RunVerdict::kNeeded);
}

// It is needless there as well, and too small to be told.
TEST(Agreement, CountsWhatIsTooSmallToBeTold) {
  Analysis small = plain();
  small.too_small = std::move(small.findings);
  small.findings.clear();
  const auto runs = agreed({plain(), small});
  EXPECT_EQ(mapping_of(runs[0]).runs, (Verdicts{RunVerdict::kHolds, RunVerdict::kHolds}));
  EXPECT_FALSE(mapping_of(runs[0]).edits.empty());
}

/// The one finding of a run, as if its edits were withdrawn because of a branch that was not taken.
Analysis withheld() {
  Analysis run = plain();
  for (Finding& finding : run.findings) {
    finding.withheld_edits = std::move(finding.edits);
    finding.edits.clear();
    finding.unreached = {{Directive::kTargetUpdate, {"main", "a.cpp", 25, 1}, false}};
  }
  return run;
}

TEST(Agreement, IsNotBrokenByEditsThatAnotherRunWithholds) {
  const auto runs = agreed({withheld(), plain()});
  EXPECT_EQ(mapping_of(runs[1]).runs, (Verdicts{RunVerdict::kHolds, RunVerdict::kHolds}));
  EXPECT_FALSE(mapping_of(runs[1]).edits.empty());
  EXPECT_TRUE(mapping_of(runs[0]).edits.empty());
}

/// With an update in each iteration, which finds nothing there: its edits are more than `plain`
/// has.
Analysis with_update() {
  Analysis run = plain();
  DirectiveRow row;
  row.directive = Directive::kTargetUpdate;
  row.file = "a.cpp";
  row.line = 25;
  row.count = 8;
  run.directives.push_back(row);
  for (Finding& finding : run.findings) {
    Edit edit = finding.edits.front();
    edit.kind = EditKind::kRemove;
    edit.anchor = {Anchor::Side::kAt, Anchor::Of::kDirective, {{"a.cpp", 25, "main", 0}}, {}};
    finding.edits.push_back(edit);
  }
  return run;
}

// What run 1 says to do is too little for run 2; what run 2 says is all that run 1 needs.
TEST(Agreement, AsksForTheEditsOfTheRunThatReachesMore) {
  const auto runs = agreed({plain(), with_update()});
  EXPECT_EQ(mapping_of(runs[0]).runs[1], RunVerdict::kOtherEdits);
  EXPECT_TRUE(mapping_of(runs[0]).edits.empty());
  EXPECT_EQ(mapping_of(runs[1]).runs[0], RunVerdict::kHolds);
  EXPECT_FALSE(mapping_of(runs[1]).edits.empty());
}

/// Iterations that map the array, and a table that no kernel changes, which the host does or does
/// not.
Analysis with_table(bool table_changes) {
  OneArray run;
  const Index<Variable> table = run.variable("table", OneArray::kBytes);
  const std::uint64_t host = run.trace.variables[table.value].address;
  run.trace.map_lists.push_back({{table, "table", host, host, OneArray::kBytes, 0x1}});
  for (int iteration = 0; iteration < 8; ++iteration) {
    run.map_tofrom(run.solve, 10 + iteration, 11 + iteration);
    run.begin(run.check);
    run.trace.regions.edit_back()->map_list = 3;
    run.op(OpKind::kAlloc, table, OneArray::kBytes, 10);
    auto sent = run.op(OpKind::kHtoD, table, OneArray::kBytes, 100);
    sent->fingerprint = sent->hash = table_changes ? 500 + iteration : 500;
    run.launch(1000);
    run.op(OpKind::kDelete, table, 0, 5);
    run.end();
  }
  return analyze(run.take());
}

// "a, table" in one run, "a" in the other: they agree about "a".
TEST(Agreement, IsOfEachItemByItself) {
  const auto runs = agreed({with_table(false), with_table(true)});
  EXPECT_EQ(mapping_of(runs[0]).variable, "a, table");
  EXPECT_TRUE(mapping_of(runs[0]).edits.empty());
  EXPECT_EQ(mapping_of(runs[1]).variable, "a");
  EXPECT_EQ(mapping_of(runs[1]).runs, (Verdicts{RunVerdict::kHolds, RunVerdict::kHolds}));
  EXPECT_FALSE(mapping_of(runs[1]).edits.empty());
}

// The other run could spare the transfers too; what is kept in both is the same.
TEST(Agreement, KeepsWhatOnlyKeepsMemory) {
  const auto runs = agreed({plain(), changed()});
  const Finding* allocated = nullptr;
  for (const Finding& finding : runs[1].findings) {
    if (finding.pattern == "repeated_allocation") allocated = &finding;
  }
  ASSERT_NE(allocated, nullptr);
  EXPECT_EQ(allocated->runs, (Verdicts{RunVerdict::kHolds, RunVerdict::kHolds}));
  EXPECT_FALSE(allocated->edits.empty());
}

TEST(SameProgram, IsToldByBuildIds) {
  const Analysis one = plain();
  EXPECT_EQ(same_program(one, plain()), SameProgram::kByName);  // ./heat is no module's path
  Analysis copy = one;
  Analysis original = one;
  original.process.program = original.modules[0].path;
  copy.process.program = copy.modules[0].path = "/tmp/copy";
  EXPECT_EQ(same_program(original, copy), SameProgram::kYes);
  Analysis rebuilt = original;
  rebuilt.modules[0].build_id = "ff";
  EXPECT_EQ(same_program(original, rebuilt), SameProgram::kOtherBuild);
  Analysis other = rebuilt;
  other.process.program = other.modules[0].path = "/home/ada/jacobi";
  EXPECT_EQ(same_program(original, other), SameProgram::kOtherProgram);
  Analysis stripped = original;
  stripped.modules[0].build_id.clear();
  EXPECT_EQ(same_program(original, stripped), SameProgram::kByName);
}

TEST(SameProgram, HasTheSameLibraries) {
  Analysis one = plain();
  one.process.program = one.modules[0].path;
  one.modules.push_back({"/lib/solver.so", "aa", 0});
  Analysis other = one;
  other.modules[1].build_id = "bb";
  EXPECT_EQ(same_program(one, other), SameProgram::kOtherBuild);
}

}  // namespace
}  // namespace ompdm::analysis::agreement_test
