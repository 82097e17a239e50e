// repeated_allocation, unused_allocation, unused_transfer and device_leak: each planted, and
// nearly.
#include <gtest/gtest.h>

#include "analysis/found.h"
#include "support/trace_builder.h"

namespace ompdm::analysis {
namespace {

using test::contains;
using test::found;
using test::patterns;
using test::TraceBuilder;

constexpr std::uint64_t kBytes = 1'000'000;

/// A program with one array and the directives to move it.
struct Program : TraceBuilder {
  Index<Variable> a = variable("a", kBytes);
  Index<Site> enter = site(Directive::kTargetEnterData, "a.cpp", 10, "main");
  Index<Site> to = site(Directive::kTargetUpdate, "a.cpp", 20, "main");
  Index<Site> solve = site(Directive::kTarget, "a.cpp", 30, "main");
  Index<Site> exit = site(Directive::kTargetExitData, "a.cpp", 40, "main");

  void map(bool sends) {
    begin(enter);
    op(OpKind::kAlloc, a, kBytes, 10);
    if (sends) op(OpKind::kHtoD, a, kBytes, 100);
    end();
  }
  void update(std::uint64_t bytes = kBytes) {
    begin(to);
    op(OpKind::kHtoD, a, bytes, 100);
    end();
  }
  void kernel() {
    begin(solve);
    launch(1000);
    end();
  }
  void unmap(bool brings) {
    begin(exit);
    if (brings) op(OpKind::kDtoH, a, kBytes, 100);
    op(OpKind::kDelete, a, 0, 5);
    end();
  }
};

TEST(UnusedTransfer, OverwrittenBeforeAKernel) {
  Program program;
  program.map(true);
  program.update();
  program.kernel();
  program.unmap(true);
  const Analysis analysis = analyze(program.take());
  ASSERT_EQ(patterns(analysis), "unused_transfer");
  const Finding& finding = analysis.findings[0];
  EXPECT_EQ(finding.line, 10);
  EXPECT_EQ(finding.variable, "a");
  EXPECT_EQ(finding.count, 1U);
  EXPECT_EQ(finding.wasted_bytes, kBytes);
  EXPECT_EQ(finding.wasted_time, 100);
  EXPECT_EQ(finding.confidence, Confidence::kCertain);
  EXPECT_TRUE(contains(finding.advice, "at a.cpp:10, write map(alloc: a)"));
}

TEST(UnusedTransfer, DroppedBeforeAKernel) {
  Program program;
  program.map(true);
  program.kernel();
  program.update();
  program.unmap(false);
  const Analysis analysis = analyze(program.take());
  ASSERT_EQ(patterns(analysis), "unused_transfer");
  EXPECT_EQ(analysis.findings[0].line, 20);
  EXPECT_TRUE(contains(analysis.findings[0].advice, "drop #pragma omp target update to(a)"));
}

TEST(UnusedTransfer, NearMisses) {
  Program seen;
  seen.map(true);
  seen.kernel();
  seen.update();
  seen.kernel();
  seen.unmap(true);
  EXPECT_EQ(patterns(analyze(seen.take())), "") << "a kernel ran in between";

  Program partly;
  partly.map(true);
  partly.update(kBytes / 2);
  partly.kernel();
  partly.unmap(true);
  EXPECT_EQ(patterns(analyze(partly.take())), "") << "half of it was still to be seen";

  Program read_back;
  read_back.map(true);
  read_back.kernel();
  read_back.update();
  read_back.unmap(true);
  EXPECT_EQ(patterns(analyze(read_back.take())), "") << "it came back to the host";

  Program during;
  during.map(true);
  during.begin(during.solve);
  during.launch(10'000);
  during.end();
  during.now -= 5'000;
  during.update();
  during.update();
  during.now += 5'000;
  during.unmap(true);
  EXPECT_EQ(patterns(analyze(during.take())), "") << "a kernel was running meanwhile";
}

TEST(UnusedTransfer, WhatOtherLibrariesMaySeeIsNotJudged) {
  Program program;
  program.map(true);
  const std::uint64_t host = program.trace.variables[0].address;
  program.trace.map_lists = {{{program.a, "a[0:n]", host, host, kBytes, 0x40}}};
  program.unmap(true);
  EXPECT_EQ(patterns(analyze(program.take())), "");
}

TEST(UnusedTransfer, WhatAsynchronousCallsCopyIsNotJudged) {
  for (const bool asynchronous : {false, true}) {
    Program program;
    const auto memory = program.api("omp_target_alloc", "a.cpp", 50, "main");
    const auto copy = asynchronous ? program.api("", "", 0, "")
                                   : program.api("omp_target_memcpy", "a.cpp", 51, "main");
    program.kernel();
    DataOp& alloc = program.op(OpKind::kAlloc, {}, kBytes, 10);
    alloc.site = memory;
    alloc.src = 0;
    for (int i = 0; i < 2; ++i) program.op(OpKind::kHtoD, {}, kBytes, 10).site = copy;
    program.op(OpKind::kDtoH, {}, kBytes, 10).site = copy;
    program.op(OpKind::kDelete, {}, 0, 10).site = memory;
    // The first copy is overwritten; of calls by the runtime's threads the order is not known.
    EXPECT_EQ(found(analyze(program.take()), "unused_transfer").size(), asynchronous ? 0U : 1U);
  }
}

TEST(UnusedTransfer, LostEventsProveNothing) {
  Program program;
  program.map(true);
  program.unmap(false);
  program.trace.losses[0].count = 1;
  EXPECT_EQ(patterns(analyze(program.take())), "");
}

TEST(UnusedAllocation, NoKernelWhileItWasThere) {
  Program program;
  program.kernel();
  program.map(false);
  program.unmap(false);
  program.kernel();
  const Analysis analysis = analyze(program.take());
  ASSERT_EQ(patterns(analysis), "unused_allocation");
  const Finding& finding = analysis.findings[0];
  EXPECT_EQ(finding.line, 10);
  EXPECT_EQ(finding.count, 1U);
  EXPECT_EQ(finding.wasted_bytes, kBytes);
  EXPECT_EQ(finding.wasted_time, 15);
  EXPECT_EQ(finding.confidence, Confidence::kCertain);
}

TEST(UnusedAllocation, RoundTripsWithoutAKernelAreLikely) {
  Program program;
  program.map(true);
  program.unmap(true);
  const Analysis analysis = analyze(program.take());
  ASSERT_EQ(patterns(analysis), "unused_allocation");
  EXPECT_EQ(analysis.findings[0].confidence, Confidence::kLikely)
      << "the host may have changed it and wanted the old values back";
}

TEST(UnusedAllocation, AnotherDevicesKernelDoesNotSeeIt) {
  Program program;
  program.map(false);
  program.kernel();
  program.trace.launches.back().device = 2;
  program.unmap(false);
  EXPECT_EQ(patterns(analyze(program.take())), "unused_allocation");
}

TEST(RepeatedAllocation, FromTheThirdTimeOn) {
  Program program;
  for (int i = 0; i < 4; ++i) {
    program.map(false);
    program.kernel();
    program.unmap(false);
    if (i == 1) {
      Program twice = program;
      EXPECT_EQ(patterns(analyze(twice.take())), "");
    }
  }
  const Analysis analysis = analyze(program.take());
  ASSERT_EQ(patterns(analysis), "repeated_allocation");
  const Finding& finding = analysis.findings[0];
  EXPECT_EQ(finding.line, 10);
  EXPECT_EQ(finding.count, 3U);
  EXPECT_EQ(finding.wasted_bytes, 3 * kBytes);
  EXPECT_EQ(finding.wasted_time, 3 * (10 + 5));
  EXPECT_TRUE(contains(finding.advice, "#pragma omp target enter data map(alloc: a)"));
}

TEST(RepeatedAllocation, DifferentArraysAreClean) {
  Program program;
  for (int i = 0; i < 4; ++i) {
    program.a = program.variable("a", kBytes);
    program.map(false);
    program.kernel();
    program.unmap(false);
  }
  EXPECT_EQ(patterns(analyze(program.take())), "");
}

TEST(DeviceLeak, LeftByEnterData) {
  Program program;
  program.map(true);
  program.kernel();
  const Analysis analysis = analyze(program.take());
  ASSERT_EQ(patterns(analysis), "device_leak");
  const Finding& finding = analysis.findings[0];
  EXPECT_EQ(finding.line, 10);
  EXPECT_EQ(finding.variable, "a");
  EXPECT_EQ(finding.wasted_bytes, kBytes);
  EXPECT_EQ(finding.confidence, Confidence::kCertain);
  EXPECT_TRUE(contains(finding.evidence, "left by target enter data at a.cpp:10"));
  EXPECT_FALSE(analysis.prediction.has_value());
}

TEST(DeviceLeak, AKilledProgramHadNoChance) {
  Program program;
  program.map(true);
  program.kernel();
  program.trace.recording.finished = false;
  EXPECT_EQ(patterns(analyze(program.take())), "");
}

TEST(Prediction, NoOperationIsTakenAwayTwice) {
  Program program;
  program.map(true);
  program.unmap(false);
  program.kernel();
  const Analysis analysis = analyze(program.take());
  ASSERT_EQ(patterns(analysis), "unused_allocation unused_transfer");
  EXPECT_EQ(analysis.findings[0].wasted_time, 115);
  EXPECT_EQ(analysis.findings[1].wasted_time, 100);
  ASSERT_TRUE(analysis.prediction.has_value());
  EXPECT_EQ(analysis.prediction->wall, analysis.process.wall - 115);
  EXPECT_EQ(analysis.prediction->transfer, 0);
}

}  // namespace
}  // namespace ompdm::analysis
