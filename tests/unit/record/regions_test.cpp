// What the callbacks write for regions, data operations and submits, in usual and in awkward
// orders.

#include <gtest/gtest.h>

#include <thread>

#include "record/recorder.h"
#include "record/recording.h"

namespace ompdm::test::regions_test {
namespace {

constexpr int kTarget = 1;
constexpr int kUpdate = 4;

TEST(Regions, OneTargetWithItsOperations) {
  const Recorded recorded = record([] {
    FakeRuntime::begin(kTarget, 0, address(0x1000));
    FakeRuntime::op(1, address(0x500), kHost, address(0x9000), 0, 80, address(0x1000));
    FakeRuntime::op(2, address(0x500), kHost, address(0x9000), 0, 80, address(0x1000));
    FakeRuntime::submit(7);
    FakeRuntime::op(3, address(0x9000), 0, address(0x500), kHost, 80, address(0x1000));
    FakeRuntime::op(4, address(0x9000), 0, nullptr, -1, 0, address(0x1000));
    FakeRuntime::end(kTarget, 0, address(0x1000));
  });
  ASSERT_EQ(recorded.trace.regions.size(), 1U);
  const auto& region = recorded.trace.regions[0];
  EXPECT_EQ(recorded.region_extras[0].kind, kTarget);
  EXPECT_FALSE(recorded.region_extras[0].from_wrapper);
  EXPECT_FALSE(region.nowait);
  EXPECT_FALSE(region.unfinished);
  EXPECT_GE(region.end, region.begin);
  ASSERT_EQ(recorded.trace.ops.size(), 4U);
  for (const auto& op : recorded.trace.ops) {
    EXPECT_FALSE(op.unfinished);
    EXPECT_EQ(op.region.value, 0U);
    EXPECT_LE(region.begin, op.begin);
    EXPECT_LE(op.begin, op.end);
    EXPECT_LE(op.end, region.end);
  }
  EXPECT_EQ(recorded.trace.ops[1].bytes, 80U);
  EXPECT_EQ(recorded.trace.ops[1].src_device, kHost);
  EXPECT_EQ(recorded.trace.ops[1].dst, 0x9000U);
  ASSERT_EQ(recorded.trace.launches.size(), 1U);
  EXPECT_EQ(recorded.trace.launches[0].requested_teams, 7U);
  EXPECT_EQ(recorded.trace.launches[0].region.value, 0U);
  EXPECT_EQ(recorded.trace.device_events.size(), 2U);
  EXPECT_EQ(recorded.header.state, spool::State::kFinished);
  EXPECT_EQ(recorded.count(spool::Tag::kSite), 1U);
}

TEST(Regions, AnApiCallBelongsToNoRegion) {
  const Recorded recorded = record([] {
    FakeRuntime::op(1, nullptr, kHost, address(0x9000), 0, 64, address(0x2000));
    FakeRuntime::op(2, address(0x500), kHost, address(0x9000), 0, 64, address(0x2010));
  });
  ASSERT_EQ(recorded.trace.ops.size(), 2U);
  EXPECT_FALSE(recorded.trace.ops[0].region);
  EXPECT_FALSE(recorded.trace.ops[0].unfinished);
  EXPECT_EQ(recorded.count(spool::Tag::kSite), 2U);
  ASSERT_EQ(recorded.site_extras.size(), 2U);
  EXPECT_EQ(recorded.site_extras[1].codeptr, 0x2010U);
  EXPECT_EQ(recorded.trace.ops[0].site.value, 0U);
  EXPECT_EQ(recorded.trace.ops[1].site.value, 1U);
}

// The asynchronous plugin sends deletes from another thread, after the region's end.
TEST(Regions, AnOperationAfterTheEndOnAnotherThreadIsKeptWithoutRegion) {
  const Recorded recorded = record([] {
    FakeRuntime::begin(kTarget, 0, address(0x1000));
    FakeRuntime::op(1, address(0x500), kHost, address(0x9000), 0, 80, address(0x1000));
    FakeRuntime::end(kTarget, 0, address(0x1000));
    std::thread([] {
      FakeRuntime::op(4, address(0x9000), 0, nullptr, -1, 0, address(0x7777));
    }).join();
  });
  ASSERT_EQ(recorded.trace.ops.size(), 2U);
  EXPECT_FALSE(recorded.trace.ops[1].region);
  EXPECT_FALSE(recorded.trace.ops[1].unfinished);
  EXPECT_EQ(recorded.trace.threads.size(), 2U);
}

TEST(Regions, NestedRegionsEachKeepTheirOperations) {
  const Recorded recorded = record([] {
    auto begin = &record::on_target;
    ompt_data_t outer{0};
    ompt_data_t inner{0};
    begin(ompt_target, ompt_scope_begin, 0, nullptr, nullptr, &outer, address(0x1000));
    begin(ompt_target_update, ompt_scope_begin, 0, nullptr, nullptr, &inner, address(0x1010));
    record::on_data_op(ompt_scope_begin, nullptr, &inner, nullptr, ompt_target_data_alloc, nullptr,
                       4, nullptr, 0, 8, address(0x1010));
    record::on_data_op(ompt_scope_end, nullptr, &inner, nullptr, ompt_target_data_alloc, nullptr, 4,
                       nullptr, 0, 8, address(0x1010));
    begin(ompt_target_update, ompt_scope_end, 0, nullptr, nullptr, &inner, address(0x1010));
    record::on_data_op(ompt_scope_begin, nullptr, &outer, nullptr, ompt_target_data_alloc, nullptr,
                       4, nullptr, 0, 16, address(0x1000));
    record::on_data_op(ompt_scope_end, nullptr, &outer, nullptr, ompt_target_data_alloc, nullptr, 4,
                       nullptr, 0, 16, address(0x1000));
    begin(ompt_target, ompt_scope_end, 0, nullptr, nullptr, &outer, address(0x1000));
  });
  ASSERT_EQ(recorded.trace.regions.size(), 2U);
  ASSERT_EQ(recorded.trace.ops.size(), 2U);
  EXPECT_EQ(recorded.trace.ops[0].region.value, 1U);
  EXPECT_EQ(recorded.trace.ops[1].region.value, 0U);
  EXPECT_EQ(recorded.loss(spool::Loss::kRegionsUnmatched), 0U);
}

TEST(Regions, EndsWithoutBeginsAreCountedAndHarmless) {
  const Recorded recorded = record([] {
    FakeRuntime::begin(kUpdate, 0, address(0x1000));
    FakeRuntime::end(kUpdate, 0, address(0x1000));
    ompt_data_t stray{0x700000001};
    record::on_target(ompt_target_update, ompt_scope_end, 0, nullptr, nullptr, &stray,
                      address(0x1000));
    FakeRuntime::op_endpoint(ompt_scope_end, 2, address(0x1), kHost, address(0x2), 0, 8,
                             address(0x1000));
    FakeRuntime::op_endpoint(ompt_scope_begin, 2, address(0x1), kHost, address(0x2), 0, 8,
                             address(0x1000));
    FakeRuntime::op(2, address(0x1), kHost, address(0x2), 0, 8, address(0x1000));
  });
  EXPECT_EQ(recorded.loss(spool::Loss::kRegionsUnmatched), 1U);
  EXPECT_EQ(recorded.loss(spool::Loss::kOpsUnmatched), 2U);
  EXPECT_EQ(recorded.trace.ops.size(), 2U);
}

TEST(Regions, WhatASignalHandlerDoesInsideACallbackIsCounted) {
  const Recorded recorded = record([] {
    FakeRuntime::begin(kUpdate, 0, address(0x1000));
    record::this_thread.inside = true;
    FakeRuntime::op(2, address(0x1), kHost, address(0x2), 0, 8, address(0x1000));
    record::this_thread.inside = false;
    FakeRuntime::end(kUpdate, 0, address(0x1000));
  });
  EXPECT_TRUE(recorded.trace.ops.empty());
  EXPECT_EQ(recorded.loss(spool::Loss::kRecordsReentrant), 2U);
}

TEST(Regions, EventsAfterTheEndAreCounted) {
  const Folder folder;
  in_child(folder, [] {
    FakeRuntime runtime;
    runtime.attach();
    FakeRuntime::begin(kUpdate, 0, address(0x1000));
    FakeRuntime::end(kUpdate, 0, address(0x1000));
    runtime.finish();
    FakeRuntime::begin(kUpdate, 0, address(0x1000));
    FakeRuntime::end(kUpdate, 0, address(0x1000));
  });
  const Recorded recorded = read_back(folder.path() / "trace.json.spool");
  EXPECT_EQ(recorded.trace.regions.size(), 1U);
  EXPECT_EQ(recorded.loss(spool::Loss::kRecordsAfterFinish), 2U);
}

TEST(Regions, APauseOfTheRuntimeEndsNothing) {
  const Recorded recorded = record([] {
    FakeRuntime::begin(kUpdate, 0, address(0x1000));
    FakeRuntime::end(kUpdate, 0, address(0x1000));
    FakeRuntime::pause();
    FakeRuntime::begin(kUpdate, 0, address(0x1000));
    FakeRuntime::end(kUpdate, 0, address(0x1000));
  });
  EXPECT_EQ(recorded.trace.regions.size(), 2U);
  EXPECT_EQ(recorded.loss(spool::Loss::kRecordsAfterFinish), 0U);
}

}  // namespace
}  // namespace ompdm::test::regions_test
