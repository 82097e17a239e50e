// What a region's source says of its data settles what the trace leaves open.
#include <gtest/gtest.h>

#include <algorithm>

#include "analysis/found.h"
#include "analysis/one_array.h"

namespace ompdm::analysis::source_facts_test {
namespace {

using test::OneArray;
using test::patterns;

/// `solve` uses the array so, by its source.
struct Read : OneArray {
  explicit Read(SourceUse use) { trace.source_facts = {{"a.cpp", 30, "a", use, 31}}; }
};

bool depends_on_kernels(const Finding& finding) {
  const auto is_change = [](const Edit& edit) { return edit.when == EditWhen::kKernelChanged; };
  return std::ranges::count(finding.unless, Unless::kKernelChanges) > 0 ||
         std::ranges::any_of(finding.edits, is_change);
}

TEST(SourceFacts, ACopyBackOfWhatIsOnlyReadIsNeedless) {
  Read program(SourceUse::kRead);
  program.map_tofrom(program.solve, 7, 7);
  const Analysis analysis = analyze(program.take());
  ASSERT_EQ(patterns(analysis), "unmodified_copy_back");
  EXPECT_NE(analysis.findings[0].confidence, Confidence::kPossible);
  EXPECT_TRUE(analysis.findings[0].caveats.empty());
  EXPECT_FALSE(depends_on_kernels(analysis.findings[0]));
}

TEST(SourceFacts, ACopyBackOfWhatIsWrittenIsNeeded) {
  Read program(SourceUse::kWritten);
  program.map_tofrom(program.solve, 7, 7);
  EXPECT_EQ(program.patterns(), "") << "the kernel may write other values";
}

TEST(SourceFacts, AnUnknownUseLeavesTheQuestionOpen) {
  Read program(SourceUse::kUnknown);
  program.map_tofrom(program.solve, 7, 7);
  const Analysis analysis = analyze(program.take());
  ASSERT_EQ(patterns(analysis), "unmodified_copy_back");
  EXPECT_EQ(analysis.findings[0].confidence, Confidence::kPossible);
  EXPECT_TRUE(depends_on_kernels(analysis.findings[0]));
}

TEST(SourceFacts, AFactOfOneRegionSaysNothingOfAnother) {
  Read program(SourceUse::kRead);
  program.map_tofrom(program.check, 7, 7);
  const Analysis analysis = analyze(program.take());
  ASSERT_EQ(patterns(analysis), "unmodified_copy_back");
  EXPECT_EQ(analysis.findings[0].confidence, Confidence::kPossible);
}

TEST(SourceFacts, WhatAKernelOnlyReadsIsStillThereWhenItIsSentAgain) {
  const auto run = [](SourceUse use) {
    Read program(use);
    program.map(7);
    program.writer();  // by map(tofrom: a)
    program.send(7);
    program.writer();
    program.unmap();
    return analyze(program.take());
  };
  const Analysis read = run(SourceUse::kRead);
  ASSERT_EQ(patterns(read), "duplicate_transfer");
  EXPECT_FALSE(depends_on_kernels(read.findings[0]));
  EXPECT_EQ(patterns(run(SourceUse::kWritten)), "");
  EXPECT_EQ(patterns(run(SourceUse::kUnknown)), "");
}

TEST(SourceFacts, NoKernelSawWhatItsSourceDoesNotUse) {
  const auto run = [](SourceUse use) {
    Read program(use);
    program.map_tofrom(program.solve, 7, 8);
    return program.patterns();
  };
  EXPECT_EQ(run(SourceUse::kNone), "unused_allocation");
  EXPECT_EQ(run(SourceUse::kWritten), "");
  EXPECT_EQ(run(SourceUse::kUnknown), "");
}

}  // namespace
}  // namespace ompdm::analysis::source_facts_test
