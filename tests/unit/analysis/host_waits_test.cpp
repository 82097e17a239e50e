// The host's waits, and how soon requests were begun. Each wait is charged to a directive. Also:
// what ran meanwhile, and which requests were queued.
#include <gtest/gtest.h>

#include "analysis/enqueued.h"
#include "ompdm/analysis.h"

namespace ompdm::analysis::host_waits_test {
namespace {

using test::TraceBuilder;

constexpr std::uint32_t kStream = 13;

DeviceActivity on_stream(ActivityKind kind, Nanoseconds begin, Nanoseconds end) {
  DeviceActivity row;
  row.kind = kind;
  row.device = 0;
  row.context = 1;
  row.stream = kStream;
  row.begin = begin;
  row.end = end;
  row.bytes = 800;
  return row;
}

Synchronization wait_for(SynchronizationKind kind, Nanoseconds begin, Nanoseconds end) {
  Synchronization row;
  row.kind = kind;
  row.context = 1;
  row.stream = kind == SynchronizationKind::kStream ? kStream : 0;
  row.begin = begin;
  row.end = end;
  return row;
}

/// A region asks for a copy, a kernel and a copy, then waits from 130 to 1100. The first copy runs
/// from 200 to 400, the kernel from 450 to 850, the second copy from 800 to 1000.
Trace waiting() {
  TraceBuilder build = test::enqueued();
  build.wait(900);
  Trace trace = build.take();
  trace.activities = {on_stream(ActivityKind::kHtoD, 200, 400),
                      on_stream(ActivityKind::kKernel, 450, 850),
                      on_stream(ActivityKind::kDtoH, 800, 1000)};
  trace.activities[0].op = {0};
  trace.activities[1].launch = {0};
  trace.activities[2].op = {1};
  for (DeviceActivity& activity : trace.activities) activity.region = {0};
  trace.synchronizations = {wait_for(SynchronizationKind::kStream, 130, 1100)};
  trace.synchronizations[0].region = {0};
  return trace;
}

TEST(HostWaits, TimeIsSharedOutByWhatRan) {
  const Analysis analysis = analyze(waiting());
  ASSERT_EQ(analysis.host_waits.size(), 1U);
  const HostWait& row = analysis.host_waits[0];
  EXPECT_EQ(analysis.directives[row.directive].line, 3);
  EXPECT_EQ(row.count, 1U);
  EXPECT_EQ(row.total, 970);
  EXPECT_EQ(row.average, 970);
  EXPECT_EQ(row.maximum, 970);
  EXPECT_EQ(row.kernels, 400);
  EXPECT_EQ(row.copies, 200 + 150);  // beside the kernel for 50
  EXPECT_EQ(row.neither, 970 - 400 - 350);
}

TEST(HostWaits, OnlyWhatWasWaitedForCounts) {
  Trace trace = waiting();
  trace.activities[1].stream = kStream + 1;  // the kernel is on another stream
  EXPECT_EQ(analyze(trace).host_waits[0].kernels, 0);
  EXPECT_EQ(analyze(trace).host_waits[0].copies, 400);
  trace.synchronizations[0].kind = SynchronizationKind::kContext;
  trace.synchronizations[0].stream = 0;
  EXPECT_EQ(analyze(trace).host_waits[0].kernels, 400);
  trace.synchronizations[0].context = 2;
  EXPECT_EQ(analyze(trace).host_waits[0].neither, 970);
}

TEST(HostWaits, AreSummedByDirectiveAndTheLongestFirst) {
  Trace trace = waiting();
  trace.synchronizations.push_back(wait_for(SynchronizationKind::kStream, 1100, 1130));
  trace.synchronizations[1].op = {1};  // the operation's directive is the region's
  trace.synchronizations.push_back(wait_for(SynchronizationKind::kContext, 1200, 1210));
  trace.synchronizations.push_back(wait_for(SynchronizationKind::kStreamWaitEvent, 1300, 1900));
  const Analysis analysis = analyze(trace);
  ASSERT_EQ(analysis.host_waits.size(), 2U);
  EXPECT_EQ(analysis.host_waits[0].count, 2U);
  EXPECT_EQ(analysis.host_waits[0].total, 1000);
  EXPECT_EQ(analysis.host_waits[0].average, 500);
  EXPECT_EQ(analysis.host_waits[0].maximum, 970);
  EXPECT_EQ(analysis.host_waits[1].directive, kNoRow);
  EXPECT_EQ(analysis.host_waits[1].total, 10);  // nor does a waiting stream hold up the host
}

TEST(HostWaits, AreToldWithoutActivities) {
  Trace trace = waiting();
  trace.activities.clear();
  const Analysis analysis = analyze(trace);
  ASSERT_EQ(analysis.host_waits.size(), 1U);
  EXPECT_EQ(analysis.host_waits[0].neither, 970);
  EXPECT_TRUE(analysis.start_latencies.empty());
}

TEST(StartLatencies, AreFromTheHostsRequest) {
  const auto rows = analyze(waiting()).start_latencies;
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].type, ActivityType::kHtoD);
  EXPECT_EQ(rows[0].average, 200 - 100);
  EXPECT_EQ(rows[0].queued, 0U);
  EXPECT_EQ(rows[1].type, ActivityType::kDtoH);
  EXPECT_EQ(rows[1].minimum, 800 - 120);
  EXPECT_EQ(rows[1].queued, 1U);
  EXPECT_EQ(rows[2].type, ActivityType::kKernel);
  EXPECT_EQ(rows[2].maximum, 450 - 110);
  EXPECT_EQ(rows[2].queued, 1U);
}

TEST(StartLatencies, OneRequestStartsOnceAndTheRuntimesOwnAreNoRequests) {
  Trace trace = waiting();
  DeviceActivity second = trace.activities[0];  // the other half of a copy by the host
  second.begin = second.end = 420;
  trace.activities.insert(trace.activities.begin() + 1, second);
  trace.activities[3].internal = true;
  const auto rows = analyze(trace).start_latencies;
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].count, 1U);
  EXPECT_EQ(rows[0].maximum, 100);
}

TEST(StartLatencies, AnotherStreamsWorkIsNoQueue) {
  Trace trace = waiting();
  trace.activities[1].stream = kStream + 1;
  EXPECT_EQ(analyze(trace).start_latencies[2].queued, 0U);
}

}  // namespace
}  // namespace ompdm::analysis::host_waits_test
