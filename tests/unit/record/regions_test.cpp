// What the callbacks write for regions, data operations and submits, in usual and in awkward
// orders.

#include <gtest/gtest.h>

#include <thread>

#include "record/process/recorder.h"
#include "record/recording.h"

namespace ompdm::test {
namespace {

constexpr int kTarget = 1;
constexpr int kUpdate = 4;

TEST(Regions, OneTargetWithItsOperations) {
  const Records records = record([] {
    FakeRuntime::begin(kTarget, 0, address(0x1000));
    FakeRuntime::op(1, address(0x500), kHost, address(0x9000), 0, 80, address(0x1000));
    FakeRuntime::op(2, address(0x500), kHost, address(0x9000), 0, 80, address(0x1000));
    FakeRuntime::submit(7);
    FakeRuntime::op(3, address(0x9000), 0, address(0x500), kHost, 80, address(0x1000));
    FakeRuntime::op(4, address(0x9000), 0, nullptr, -1, 0, address(0x1000));
    FakeRuntime::end(kTarget, 0, address(0x1000));
  });
  ASSERT_EQ(records.regions.size(), 1U);
  const auto& region = records.regions[0];
  EXPECT_EQ(region.head.flags, kTarget);
  EXPECT_GE(region.end, region.begin);
  ASSERT_EQ(records.ops.size(), 4U);
  for (const auto& op : records.ops) {
    EXPECT_EQ(op.head.flags, spool::kOpInRegion);
    EXPECT_EQ(op.owner, region.id);
    EXPECT_LE(region.begin, op.begin);
    EXPECT_LE(op.begin, op.end);
    EXPECT_LE(op.end, region.end);
  }
  EXPECT_EQ(records.ops[1].bytes, 80U);
  EXPECT_EQ(records.ops[1].src_device, kHost);
  EXPECT_EQ(records.ops[1].dst, 0x9000U);
  ASSERT_EQ(records.launches.size(), 1U);
  EXPECT_EQ(records.launches[0].requested_teams, 7U);
  EXPECT_EQ(records.launches[0].region, region.id);
  EXPECT_EQ(records.devices.size(), 2U);
  EXPECT_EQ(records.header.state, spool::State::kFinished);
  EXPECT_EQ(records.sites.size(), 1U);
}

TEST(Regions, AnApiCallBelongsToNoRegion) {
  const Records records = record([] {
    FakeRuntime::op(1, nullptr, kHost, address(0x9000), 0, 64, address(0x2000));
    FakeRuntime::op(2, address(0x500), kHost, address(0x9000), 0, 64, address(0x2010));
  });
  ASSERT_EQ(records.ops.size(), 2U);
  EXPECT_EQ(records.ops[0].head.flags, 0);
  EXPECT_NE(records.ops[0].owner, records.ops[1].owner);
  ASSERT_EQ(records.sites.size(), 2U);
  EXPECT_EQ(records.sites[1].site.codeptr, 0x2010U);
  EXPECT_EQ(records.ops[1].owner, records.sites[1].site.id);
}

// The asynchronous plugin sends deletes from another thread, after the region's end.
TEST(Regions, AnOperationAfterTheEndOnAnotherThreadIsKeptWithoutRegion) {
  const Records records = record([] {
    FakeRuntime::begin(kTarget, 0, address(0x1000));
    FakeRuntime::op(1, address(0x500), kHost, address(0x9000), 0, 80, address(0x1000));
    FakeRuntime::end(kTarget, 0, address(0x1000));
    std::thread([] {
      FakeRuntime::op(4, address(0x9000), 0, nullptr, -1, 0, address(0x7777));
    }).join();
  });
  ASSERT_EQ(records.ops.size(), 2U);
  EXPECT_EQ(records.ops[1].head.flags, 0);
  EXPECT_EQ(records.threads.size(), 2U);
}

TEST(Regions, NestedRegionsEachKeepTheirOperations) {
  const Records records = record([] {
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
  ASSERT_EQ(records.regions.size(), 2U);
  ASSERT_EQ(records.ops.size(), 2U);
  EXPECT_EQ(records.ops[0].owner, records.regions[1].id);
  EXPECT_EQ(records.ops[1].owner, records.regions[0].id);
  EXPECT_EQ(records.loss(spool::Loss::kRegionsUnmatched), 0U);
}

TEST(Regions, EndsWithoutBeginsAreCountedAndHarmless) {
  const Records records = record([] {
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
  EXPECT_EQ(records.loss(spool::Loss::kRegionsUnmatched), 1U);
  EXPECT_EQ(records.loss(spool::Loss::kOpsUnmatched), 2U);
  EXPECT_EQ(records.ops.size(), 2U);
}

TEST(Regions, WhatASignalHandlerDoesInsideACallbackIsCounted) {
  const Records records = record([] {
    FakeRuntime::begin(kUpdate, 0, address(0x1000));
    record::this_thread.inside = true;
    FakeRuntime::op(2, address(0x1), kHost, address(0x2), 0, 8, address(0x1000));
    record::this_thread.inside = false;
    FakeRuntime::end(kUpdate, 0, address(0x1000));
  });
  EXPECT_TRUE(records.ops.empty());
  EXPECT_EQ(records.loss(spool::Loss::kRecordsReentrant), 2U);
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
  const Records records = read_records(folder.path() / "trace.json.spool");
  EXPECT_EQ(records.regions.size(), 1U);
  EXPECT_EQ(records.loss(spool::Loss::kRecordsAfterFinish), 2U);
}

TEST(Regions, APauseOfTheRuntimeEndsNothing) {
  const Records records = record([] {
    FakeRuntime::begin(kUpdate, 0, address(0x1000));
    FakeRuntime::end(kUpdate, 0, address(0x1000));
    FakeRuntime::pause();
    FakeRuntime::begin(kUpdate, 0, address(0x1000));
    FakeRuntime::end(kUpdate, 0, address(0x1000));
  });
  EXPECT_EQ(records.regions.size(), 2U);
  EXPECT_EQ(records.loss(spool::Loss::kRecordsAfterFinish), 0U);
}

}  // namespace
}  // namespace ompdm::test
