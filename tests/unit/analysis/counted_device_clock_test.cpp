// What was counted on the device's clock: tallies with the times of their activities, and what
// becomes of those whose activities are too few, too many, or nobody's.
#include <gtest/gtest.h>

#include "analysis/device_clock.h"
#include "ompdm/analysis.h"
#include "support/trace_builder.h"

namespace ompdm::analysis::counted_device_clock_test {
namespace {

Distribution times(Nanoseconds each, std::uint64_t count) {
  Distribution all;
  all.add(static_cast<std::uint64_t>(each), count);
  return all;
}

/// 100 copies of 8 bytes that took the host 10 ns to ask for.
Trace counted() {
  test::TraceBuilder build;
  build.clock = Clock::kEnqueue;
  const auto site = build.site(Directive::kTargetUpdate, "a.cpp", 3, "main");
  build.wait(1000);
  Trace trace = build.take();
  trace.recording.detail = "tallies";
  OpTally tally;
  tally.like.kind = OpKind::kHtoD;
  tally.like.clock = Clock::kEnqueue;
  tally.like.site = site;
  tally.like.src_device = 1;
  tally.like.dst_device = 0;
  tally.bytes = 800;
  tally.least_bytes = tally.most_bytes = 8;
  tally.times = times(10, 100);
  trace.op_tallies = {tally};
  return trace;
}

ActivityTally copies(Index<OpTally> op, Nanoseconds each, std::uint64_t count) {
  ActivityTally tally;
  tally.like.kind = ActivityKind::kHtoD;
  tally.like.device = 0;
  tally.op = op;
  tally.bytes = 8 * count;
  tally.least_bytes = tally.most_bytes = 8;
  tally.times = times(each, count);
  return tally;
}

TEST(CountedDeviceClock, OperationsGetTheirActivitiesTimes) {
  Trace trace = counted();
  trace.activity_tallies = {copies({0}, 500, 60), copies({0}, 700, 40)};
  const Analysis analysis = analyze(trace);
  ASSERT_EQ(analysis.activities.size(), 1U);
  const Activity& row = analysis.activities[0];
  EXPECT_EQ(row.clock, Clock::kDevice);
  EXPECT_EQ(row.count, 100U);
  EXPECT_EQ(row.bytes, 800U);
  EXPECT_EQ(row.total, 60 * 500 + 40 * 700);
  EXPECT_EQ(row.minimum, 500);
  EXPECT_EQ(row.maximum, 700);
  EXPECT_EQ(analysis.totals.htod.time, row.total);
  ASSERT_EQ(analysis.directives.size(), 0U);  // no region brackets them here
}

TEST(CountedDeviceClock, ThoseOfWhichNoneIsKnownKeepARowOfTheirOwn) {
  Trace trace = counted();
  trace.activity_tallies = {copies({0}, 500, 70)};
  const Analysis analysis = analyze(trace);
  ASSERT_EQ(analysis.activities.size(), 2U);
  const bool device_first = analysis.activities[0].clock == Clock::kDevice;
  const Activity& seen = analysis.activities[device_first ? 0 : 1];
  const Activity& rest = analysis.activities[device_first ? 1 : 0];
  EXPECT_EQ(seen.count, 70U);
  EXPECT_EQ(seen.bytes, 560U);
  EXPECT_EQ(seen.total, 70 * 500);
  EXPECT_EQ(rest.clock, Clock::kEnqueue);
  EXPECT_EQ(rest.count, 30U);
  EXPECT_EQ(rest.bytes, 240U);
  EXPECT_EQ(rest.total, 30 * 10);
  EXPECT_EQ(analysis.totals.htod.count, 100U);
  EXPECT_EQ(analysis.totals.htod.bytes, 800U);
}

TEST(CountedDeviceClock, PiecesOfOneOperationAreOne) {
  Trace trace = counted();
  trace.op_tallies[0].like.kind = OpKind::kDtoD;
  trace.activity_tallies = {copies({0}, 500, 100), copies({0}, 700, 100)};
  const Analysis analysis = analyze(trace);
  ASSERT_EQ(analysis.activities.size(), 1U);
  EXPECT_EQ(analysis.activities[0].count, 100U);
  EXPECT_EQ(analysis.activities[0].bytes, 800U);
  EXPECT_EQ(analysis.activities[0].total, 100 * (500 + 700));
  EXPECT_GE(analysis.activities[0].minimum, 500);
}

TEST(CountedDeviceClock, WhatIsNobodysIsTheRuntimes) {
  Trace trace = counted();
  trace.activity_tallies = {copies({0}, 500, 100), copies({}, 300, 5)};
  trace.activity_tallies[1].like.internal = true;
  const Analysis analysis = analyze(trace);
  EXPECT_EQ(analysis.totals.htod.count, 100U);
  EXPECT_EQ(analysis.totals.runtime_internal.count, 5U);
  EXPECT_EQ(analysis.totals.runtime_internal.bytes, 40U);
  EXPECT_EQ(analysis.totals.runtime_internal.time, 5 * 300);
}

TEST(CountedDeviceClock, WithoutOmptActivitiesAreTheProgram) {
  Trace trace;
  trace.host_device = 1;
  trace.kernels = {{"scale", "scale", "", 0}};
  ActivityTally kernel;
  kernel.like.kind = ActivityKind::kKernel;
  kernel.like.kernel = {0};
  kernel.times = times(50, 7);
  trace.activity_tallies = {copies({}, 300, 5), kernel};
  const Analysis analysis = analyze(trace);
  EXPECT_EQ(analysis.totals.htod.count, 5U);
  EXPECT_EQ(analysis.totals.kernel.count, 7U);
  ASSERT_EQ(analysis.activities.size(), 2U);
  EXPECT_EQ(analysis.activities[0].clock, Clock::kDevice);
  EXPECT_EQ(analysis.activities[1].function, "scale");
}

TEST(CountedDeviceClock, TwiceIsOnce) {
  Trace trace = counted();
  trace.activity_tallies = {copies({0}, 500, 70), copies({}, 300, 5)};
  const Trace once = on_device_clock(trace);
  const Trace twice = on_device_clock(once);
  EXPECT_EQ(once.op_tallies, twice.op_tallies);
  EXPECT_EQ(once.activity_tallies, twice.activity_tallies);
}

}  // namespace
}  // namespace ompdm::analysis::counted_device_clock_test
