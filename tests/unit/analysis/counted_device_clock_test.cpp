// What was counted on the device's clock: aggregates with the times of their activities, and what
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
  trace.recording.detail = Recording::Detail::kAggregates;
  OpAggregate aggregate;
  aggregate.like.kind = OpKind::kHtoD;
  aggregate.like.clock = Clock::kEnqueue;
  aggregate.like.site = site;
  aggregate.like.src_device = 1;
  aggregate.like.dst_device = 0;
  aggregate.bytes = 800;
  aggregate.least_bytes = aggregate.most_bytes = 8;
  aggregate.times = times(10, 100);
  trace.op_aggregates = {aggregate};
  return trace;
}

ActivityAggregate copies(Index<OpAggregate> op, Nanoseconds each, std::uint64_t count) {
  ActivityAggregate aggregate;
  aggregate.like.kind = ActivityKind::kHtoD;
  aggregate.like.device = 0;
  aggregate.op = op;
  aggregate.bytes = 8 * count;
  aggregate.least_bytes = aggregate.most_bytes = 8;
  aggregate.times = times(each, count);
  return aggregate;
}

TEST(CountedDeviceClock, OperationsGetTheirActivitiesTimes) {
  Trace trace = counted();
  trace.activity_aggregates = {copies({0}, 500, 60), copies({0}, 700, 40)};
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
  trace.activity_aggregates = {copies({0}, 500, 70)};
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
  trace.op_aggregates[0].like.kind = OpKind::kDtoD;
  trace.activity_aggregates = {copies({0}, 500, 100), copies({0}, 700, 100)};
  const Analysis analysis = analyze(trace);
  ASSERT_EQ(analysis.activities.size(), 1U);
  EXPECT_EQ(analysis.activities[0].count, 100U);
  EXPECT_EQ(analysis.activities[0].bytes, 800U);
  EXPECT_EQ(analysis.activities[0].total, 100 * (500 + 700));
  EXPECT_GE(analysis.activities[0].minimum, 500);
}

TEST(CountedDeviceClock, WhatIsNobodysIsTheRuntimes) {
  Trace trace = counted();
  trace.activity_aggregates = {copies({0}, 500, 100), copies({}, 300, 5)};
  trace.activity_aggregates[1].like.internal = true;
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
  ActivityAggregate kernel;
  kernel.like.kind = ActivityKind::kKernel;
  kernel.like.kernel = {0};
  kernel.times = times(50, 7);
  trace.activity_aggregates = {copies({}, 300, 5), kernel};
  const Analysis analysis = analyze(trace);
  EXPECT_EQ(analysis.totals.htod.count, 5U);
  EXPECT_EQ(analysis.totals.kernel.count, 7U);
  ASSERT_EQ(analysis.activities.size(), 2U);
  EXPECT_EQ(analysis.activities[0].clock, Clock::kDevice);
  EXPECT_EQ(analysis.activities[1].function, "scale");
}

TEST(CountedDeviceClock, TwiceIsOnce) {
  Trace trace = counted();
  trace.activity_aggregates = {copies({0}, 500, 70), copies({}, 300, 5)};
  const Trace once = on_device_clock(trace);
  const Trace twice = on_device_clock(once);
  EXPECT_EQ(once.op_aggregates, twice.op_aggregates);
  EXPECT_EQ(once.activity_aggregates, twice.activity_aggregates);
}

}  // namespace
}  // namespace ompdm::analysis::counted_device_clock_test
