// What is not among the findings: too small to be told, or perhaps written unseen. Counts and bytes
// decide, never times.
#include <gtest/gtest.h>

#include "analysis/found.h"
#include "analysis/one_array.h"
#include "analysis/passes.h"

namespace ompdm::analysis::left_out_test {
namespace {

using test::OneArray;
using test::patterns;
using test::TraceBuilder;

/// `count` enter and exit data of 4 KB beside iterations with `others` transfers of 8 MB. Each
/// kernel takes `each`.
Analysis allocated(int count, int others, Nanoseconds each) {
  TraceBuilder build;
  const auto small = build.variable("small", 4000);
  const auto large = build.variable("large", test::kBytes);
  const auto enter = build.site(Directive::kTargetEnterData, "a.cpp", 4, "main");
  const auto exit = build.site(Directive::kTargetExitData, "a.cpp", 5, "main");
  const auto update = build.site(Directive::kTargetUpdate, "a.cpp", 6, "main");
  const auto solve = build.site(Directive::kTarget, "a.cpp", 7, "main");
  const auto within = [&](Index<Site> site, auto body) {
    build.begin(site);
    body();
    build.end();
  };
  within(enter, [&] { build.op(OpKind::kAlloc, large, test::kBytes, 10); });
  for (int i = 0; i < others; ++i) {
    within(update, [&] { build.op(OpKind::kHtoD, large, test::kBytes, 1000); });
    within(solve, [&] { build.launch(each); });
  }
  for (int i = 0; i < count; ++i) {
    within(enter, [&] { build.op(OpKind::kAlloc, small, 4000, 10); });
    within(solve, [&] { build.launch(each); });
    within(exit, [&] { build.op(OpKind::kDelete, small, 0, 5); });
  }
  within(exit, [&] { build.op(OpKind::kDelete, large, 0, 5); });
  return analyze(build.take());
}

TEST(Worth, TenAllocationsAreToldHoweverLittleTheyTookHere) {
  for (const Nanoseconds kernel : {100, 100'000'000}) {
    const Analysis many = allocated(11, 3, kernel);
    EXPECT_EQ(patterns(many), "repeated_allocation") << kernel;
    EXPECT_EQ(many.withheld.findings, 0U);

    const Analysis few = allocated(10, 3, kernel);
    EXPECT_EQ(patterns(few), "") << kernel << ": 9 of 4 KB, beside 8 MB";
    EXPECT_EQ(few.withheld.findings, 1U);
    EXPECT_EQ(few.withheld.transfers, 0U);
    EXPECT_EQ(few.withheld.bytes, 0U);
    EXPECT_EQ(few.withheld.allocations, 9U);
  }
}

TEST(Worth, AHundredthOfTheBytesIsToldHoweverFewTransfersItTakes) {
  for (const int others : {50, 500}) {
    OneArray program;
    program.map(1);
    program.kernel();
    for (int i = 0; i < others; ++i) {
      program.bring(1000 + i);
      program.kernel();
    }
    program.unmap();
    program.map(7);
    program.send(7);
    program.kernel();
    program.unmap();
    const Analysis analysis = analyze(program.take());
    EXPECT_EQ(patterns(analysis), others == 50 ? "unused_transfer" : "");
    EXPECT_EQ(analysis.withheld.findings, others == 50 ? 0U : 1U);
    EXPECT_EQ(analysis.withheld.transfers, others == 50 ? 0U : 1U);
    EXPECT_EQ(analysis.withheld.bytes, others == 50 ? 0U : OneArray::kBytes);
  }
}

/// Sends the same three times, with a kernel that reads it after each.
OneArray sent_thrice() {
  OneArray program;
  program.map(7);
  for (int i = 0; i < 2; ++i) {
    program.reader();
    program.send(7);
  }
  program.reader();
  program.unmap();
  return program;
}

TEST(Doubts, AreToldByTheirReason) {
  EXPECT_TRUE(analyze(sent_thrice().take()).doubts.empty());
  EXPECT_EQ(sent_thrice().patterns(), "duplicate_transfer");

  OneArray given = sent_thrice();
  given.trace.mapped_pointers.push_back({0, given.trace.variables[0].address});
  const Analysis analysis = analyze(given.take());
  EXPECT_EQ(patterns(analysis), "");
  ASSERT_EQ(analysis.doubts.size(), 1U);
  EXPECT_EQ(analysis.doubts[0].reason, Doubt::Reason::kDeviceAddress);
  EXPECT_EQ(analysis.doubts[0].transfers, 2U);
  EXPECT_EQ(analysis.doubts[0].bytes, 2 * OneArray::kBytes);
}

TEST(Doubts, AreNoneWhereContentsDifferOrAKernelMayWriteByItsMaps) {
  OneArray changed;
  changed.map(7);
  changed.kernel();
  changed.send(8);
  changed.kernel();
  changed.unmap();
  EXPECT_TRUE(analyze(changed.take()).doubts.empty());

  OneArray written;
  written.map(7);
  written.writer();
  written.send(7);
  written.kernel();
  written.unmap();
  EXPECT_TRUE(analyze(written.take()).doubts.empty());
}

TEST(Doubts, OfKernelsWhoseClausesAreNotKnown) {
  OneArray program;
  program.map(7);
  program.kernel();
  program.send(7);
  program.kernel();
  program.unmap();
  const Analysis analysis = analyze(program.take());
  ASSERT_EQ(analysis.doubts.size(), 1U) << patterns(analysis);
  EXPECT_EQ(analysis.doubts[0].reason, Doubt::Reason::kUnnamedData);
  EXPECT_EQ(analysis.doubts[0].transfers, 1U);
}

}  // namespace
}  // namespace ompdm::analysis::left_out_test
