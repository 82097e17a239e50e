#include <gtest/gtest.h>

#include "ompdm/analysis.h"
#include "support/trace_builder.h"

namespace ompdm::analysis::activities_test {
namespace {

using test::TraceBuilder;

TEST(Activities, AnUnfinishedKernelCountsAndSaysNothingOfTheOthersTimes) {
  test::TraceBuilder build;
  const auto solve = build.site(Directive::kTarget, "a.cpp", 9, "main");
  build.begin(solve);
  build.launch(50);
  build.launch(70);
  build.launch(1);
  build.end();
  build.trace.launches.edit_back()->unfinished = true;
  const Trace trace = build.take();
  const Analysis analysis = analyze(trace);
  ASSERT_EQ(analysis.activities.size(), 1U);
  EXPECT_EQ(analysis.activities[0].count, 3U);
  EXPECT_EQ(analysis.activities[0].minimum, 50);
  EXPECT_EQ(analysis.activities[0].average, 60);
}

TEST(Activities, StatisticsOfDurations) {
  TraceBuilder build;
  const auto site = build.site(Directive::kTarget, "a.cpp", 3, "main");
  build.begin(site);
  for (const Nanoseconds duration : {10, 20, 60, 30}) build.op(OpKind::kHtoD, {}, 100, duration);
  build.end();
  const Analysis analysis = analyze(build.take());
  ASSERT_EQ(analysis.activities.size(), 1U);
  const Activity& row = analysis.activities.front();
  EXPECT_EQ(row.count, 4U);
  EXPECT_EQ(row.bytes, 400U);
  EXPECT_EQ(row.total, 120);
  EXPECT_EQ(row.average, 30);
  EXPECT_EQ(row.median, 25);
  EXPECT_EQ(row.minimum, 10);
  EXPECT_EQ(row.maximum, 60);
  EXPECT_EQ(row.deviation, 22);  // sqrt((400 + 100 + 900 + 0) / 3) = 21.6
  EXPECT_DOUBLE_EQ(row.percent.value_or(-1), 100);
}

TEST(Activities, EnqueueTimesHaveNoShareAndSpoilNoOther) {
  TraceBuilder build;
  const auto site = build.site(Directive::kTarget, "a.cpp", 3, "main");
  build.begin(site);
  build.op(OpKind::kHtoD, {}, 100, 30);
  build.op(OpKind::kDtoH, {}, 100, 10);
  build.clock = Clock::kEnqueue;
  build.op(OpKind::kHtoD, {}, 100, 60);
  build.end();
  const Analysis analysis = analyze(build.take());
  ASSERT_EQ(analysis.activities.size(), 3U);
  EXPECT_FALSE(analysis.activities[0].percent.has_value());
  EXPECT_DOUBLE_EQ(analysis.activities[1].percent.value_or(-1), 75);
  EXPECT_DOUBLE_EQ(analysis.activities[2].percent.value_or(-1), 25);
  EXPECT_FALSE(analysis.headline.measured);
}

TEST(Activities, InternalTrafficIsInNoTotalButItsOwn) {
  TraceBuilder build;
  const auto site = build.site(Directive::kTarget, "a.cpp", 3, "main");
  build.begin(site);
  build.op(OpKind::kHtoD, {}, 8, 30)->internal = true;
  build.op(OpKind::kAlloc, {}, 64, 5)->internal = true;
  build.end();
  const Analysis analysis = analyze(build.take());
  EXPECT_TRUE(analysis.activities.empty());
  EXPECT_TRUE(analysis.api_calls.empty());
  EXPECT_EQ(analysis.totals.htod, Flow{});
  EXPECT_EQ(analysis.totals.alloc, Flow{});
  EXPECT_EQ(analysis.totals.runtime_internal, (Flow{72, 2, 35}));
  EXPECT_EQ(analysis.directives.front().htod, Flow{});
}

TEST(Headline, SharesAreOfUnions) {
  TraceBuilder build;
  const auto site = build.site(Directive::kTarget, "a.cpp", 3, "main");
  build.begin(site);
  build.op(OpKind::kHtoD, {}, 100, 40);  // 0 ... 40
  build.now = 20;
  build.op(OpKind::kHtoD, {}, 100, 40);  // 20 ... 60
  build.now = 50;
  build.launch(50);  // 50 ... 100
  build.end();
  const Analysis analysis = analyze(build.take());
  EXPECT_TRUE(analysis.headline.measured);
  EXPECT_EQ(analysis.headline.transfer, 60);
  EXPECT_EQ(analysis.headline.kernel, 50);
  EXPECT_EQ(analysis.headline.device, 100);
  EXPECT_EQ(analysis.headline.top, 0U);
  EXPECT_TRUE(analysis.headline.host_clock);
  EXPECT_FALSE(analysis.headline.device_clock);
}

TEST(Headline, NothingRecordedIsSaidSo) {
  const Analysis analysis = analyze(TraceBuilder().take());
  EXPECT_FALSE(has_target_events(analysis));
  EXPECT_FALSE(analysis.headline.measured);
}

}  // namespace
}  // namespace ompdm::analysis::activities_test
