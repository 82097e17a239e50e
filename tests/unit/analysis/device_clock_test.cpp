// A trace on the device's clock: which interval each operation gets, what the runtime's own
// activities become, and how a device's time is shared out.
#include "analysis/device_clock.h"

#include <gtest/gtest.h>

#include "analysis/enqueued.h"
#include "analysis/found.h"

namespace ompdm::analysis::device_clock_test {
namespace {

using test::TraceBuilder;

DeviceActivity copy(Index<DataOp> op, ActivityKind kind, Nanoseconds begin, Nanoseconds end) {
  DeviceActivity row;
  row.kind = kind;
  row.op = op;
  row.device = 0;
  row.begin = begin;
  row.end = end;
  row.bytes = 800;
  return row;
}

DeviceActivity kernel(Index<Launch> launch, Nanoseconds begin, Nanoseconds end) {
  DeviceActivity row;
  row.kind = ActivityKind::kKernel;
  row.launch = launch;
  row.device = 0;
  row.begin = begin;
  row.end = end;
  return row;
}

/// One region with a copy and a kernel that are enqueued at once. They run later, concurrently for
/// a while. Before it there is an upload of the runtime's own, and a copy without an activity.
Trace asynchronous() {
  TraceBuilder build = test::enqueued();
  Trace trace = build.take();
  DeviceActivity own = copy({}, ActivityKind::kHtoD, 40, 50);
  own.internal = true;
  trace.activities = {own, copy({0}, ActivityKind::kHtoD, 200, 600), kernel({0}, 500, 900)};
  return trace;
}

TEST(DeviceClock, OperationsGetTheirActivitysInterval) {
  const Trace trace = on_device_clock(asynchronous());
  ASSERT_EQ(trace.ops.size(), 3U);
  EXPECT_TRUE(trace.ops[0].internal);
  EXPECT_EQ(trace.ops[0].begin, 40);
  // What no activity stands for keeps what is known of it.
  EXPECT_EQ(trace.ops[1].kind, OpKind::kDtoH);
  EXPECT_EQ(trace.ops[1].clock, Clock::kEnqueue);
  EXPECT_EQ(trace.ops[1].begin, 120);
  EXPECT_EQ(trace.ops[2].kind, OpKind::kHtoD);
  EXPECT_EQ(trace.ops[2].clock, Clock::kDevice);
  EXPECT_EQ(trace.ops[2].begin, 200);
  EXPECT_EQ(trace.ops[2].end, 600);
  EXPECT_EQ(trace.activities[1].op.value, 2U);
  EXPECT_EQ(trace.launches[0].begin, 500);
  EXPECT_EQ(trace.launches[0].end, 900);
}

TEST(DeviceClock, TwiceIsOnce) {
  const Trace once = on_device_clock(asynchronous());
  const Trace twice = on_device_clock(once);
  EXPECT_EQ(once.ops, twice.ops);
  EXPECT_EQ(once.launches, twice.launches);
  EXPECT_EQ(once.activities, twice.activities);
}

TEST(DeviceClock, ACopyThatGoesByTheHostIsOne) {
  TraceBuilder build;
  build.clock = Clock::kEnqueue;
  build.op(OpKind::kDtoD, {}, 800, 10);
  Trace trace = build.take();
  trace.activities = {copy({0}, ActivityKind::kDtoH, 20, 30),
                      copy({0}, ActivityKind::kHtoD, 35, 60)};
  trace = on_device_clock(std::move(trace));
  ASSERT_EQ(trace.ops.size(), 1U);
  EXPECT_EQ(trace.ops[0].begin, 20);
  EXPECT_EQ(trace.ops[0].end, 60);
}

TEST(DeviceClock, WithoutOmptActivitiesAreTheProgram) {
  Trace trace;
  trace.host_device = 1;
  trace.kernels = {{"scale", "scale", "", 0}};
  trace.activities = {copy({}, ActivityKind::kHtoD, 10, 20), kernel({}, 20, 50)};
  trace.activities[1].kernel = {0};
  const Analysis analysis = analyze(trace);
  EXPECT_EQ(analysis.totals.htod.bytes, 800U);
  EXPECT_EQ(analysis.totals.kernel.count, 1U);
  ASSERT_EQ(analysis.activities.size(), 2U);
  EXPECT_EQ(analysis.activities[0].function, "scale");
  EXPECT_EQ(analysis.activities[0].clock, Clock::kDevice);
}

TEST(DeviceClock, UseOfADeviceIsOfUnions) {
  const Analysis analysis = analyze(asynchronous());
  ASSERT_EQ(analysis.device_use.size(), 1U);
  const DeviceUse& use = analysis.device_use[0];
  EXPECT_EQ(use.span, 900 - 40);
  EXPECT_EQ(use.copies, 10 + 400);
  EXPECT_EQ(use.kernels, 400);
  EXPECT_EQ(use.both, 100);
  EXPECT_EQ(use.idle, 150);
  // The runtime's own upload is in no total but its own.
  EXPECT_EQ(analysis.totals.runtime_internal.count, 1U);
  EXPECT_EQ(analysis.totals.htod.count, 1U);
}

TEST(DeviceClock, ATraceWithoutActivitiesResidenciesAsItIs) {
  Trace trace = asynchronous();
  trace.activities.clear();
  const Trace same = on_device_clock(trace);
  EXPECT_EQ(same.ops, trace.ops);
  EXPECT_EQ(analyze(trace).device_use.size(), 0U);
}

}  // namespace
}  // namespace ompdm::analysis::device_clock_test
