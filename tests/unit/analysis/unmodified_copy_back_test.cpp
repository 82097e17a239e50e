// unmodified_copy_back: planted, and nearly.
#include <gtest/gtest.h>

#include "analysis/found.h"
#include "analysis/one_array.h"
#include "ompdm/report.h"

namespace ompdm::analysis::unmodified_copy_back_test {
namespace {

using test::contains;
using test::found;
using test::OneArray;
using test::patterns;

TEST(UnmodifiedCopyBack, OfATarget) {
  OneArray program;
  program.map_tofrom(program.solve, 7, 7);
  const Analysis analysis = analyze(program.take());
  ASSERT_EQ(patterns(analysis), "unmodified_copy_back");
  const Finding& finding = analysis.findings[0];
  EXPECT_EQ(finding.line, 30);
  EXPECT_EQ(finding.count, 1U);
  EXPECT_EQ(finding.wasted_bytes, OneArray::kBytes);
  EXPECT_EQ(finding.confidence, Confidence::kPossible) << "the kernel may have written the same";
  EXPECT_EQ(std::get<facts::UnmodifiedCopyBack>(finding.facts).same.equal, 1U);
  EXPECT_TRUE(
      contains(report::advice_text(finding),
               "at a.cpp:30, write for these, and leave other items as they are:\n  map(to: a)"))
      << report::advice_text(finding);
}

TEST(UnmodifiedCopyBack, SeveralVariablesOfADirectiveAreOneFinding) {
  OneArray program;
  const auto b = program.variable("b", OneArray::kBytes);
  program.begin(program.solve);
  for (const auto one : {program.a, b}) {
    program.op(OpKind::kAlloc, one, OneArray::kBytes, 10);
    program.op(OpKind::kHtoD, one, OneArray::kBytes, 100)->hash = 7 + one.value;
  }
  program.launch(1000);
  for (const auto one : {program.a, b}) {
    program.op(OpKind::kDtoH, one, OneArray::kBytes, 100)->hash = 7 + one.value;
    program.op(OpKind::kDelete, one, 0, 5);
  }
  program.end();
  const Analysis analysis = analyze(program.take());
  ASSERT_EQ(patterns(analysis), "unmodified_copy_back");
  EXPECT_EQ(analysis.findings[0].variable, "a, b");
  EXPECT_EQ(analysis.findings[0].count, 2U);
  EXPECT_TRUE(contains(report::advice_text(analysis.findings[0]), "map(to: a, b)"));
}

TEST(UnmodifiedCopyBack, OnceAfterAnUpdateIsChance) {
  OneArray program;
  program.map(7);
  program.writer();
  program.bring(8);
  program.send(9);
  program.begin(program.exit);
  program.move(OpKind::kDtoH, 9);
  program.op(OpKind::kDelete, program.a, 0, 5);
  program.end();
  EXPECT_EQ(program.patterns(), "") << "a step more, and a kernel would have run in between";
}

TEST(UnmodifiedCopyBack, NearMisses) {
  OneArray written;
  written.map_tofrom(written.solve, 7, 8);
  EXPECT_EQ(written.patterns(), "") << "the device wrote it";

  OneArray once;
  once.map_tofrom(once.solve, 7, 7);
  once.wait(1'000'000);
  once.map_tofrom(once.check, 17, 17);
  once.map_tofrom(once.check, 27, 28);
  const auto back = found(analyze(once.take()), "unmodified_copy_back");
  ASSERT_EQ(back.size(), 1U);
  EXPECT_EQ(back[0].line, 30) << "the other directive did bring news once";

  OneArray zeros;
  zeros.zeros = true;
  zeros.map_tofrom(zeros.solve, 7, 7);
  EXPECT_EQ(zeros.patterns(), "") << "a kernel may have computed zeros";

  OneArray made;
  made.begin(made.solve);
  made.op(OpKind::kAlloc, made.a, OneArray::kBytes, 10);
  made.launch(1000);
  made.move(OpKind::kDtoH, 7);
  made.op(OpKind::kDelete, made.a, 0, 5);
  made.end();
  EXPECT_EQ(made.patterns(), "") << "it was made there";
}

// Where edits keep the data on the device, it is copied back no more: those clauses get no second
// edit.
TEST(UnmodifiedCopyBack, WhatARoundTripBringsBackUnchangedIsADuplicate) {
  OneArray program;
  program.map_tofrom(program.solve, 7, 7);
  program.wait(1'000'000);
  program.map_tofrom(program.check, 7, 7);
  const Analysis analysis = analyze(program.take());
  EXPECT_EQ(patterns(analysis), "duplicate_transfer");
  // A needless transfer, one delete and one allocation, each counted once.
  ASSERT_TRUE(analysis.possible_prediction.has_value());
  EXPECT_EQ(analysis.possible_prediction->wall, analysis.process.wall - 100 - 10 - 5);
}

}  // namespace
}  // namespace ompdm::analysis::unmodified_copy_back_test
