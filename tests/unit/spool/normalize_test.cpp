// What runtimes disagree on.
#include <gtest/gtest.h>

#include "ompdm/finish.h"
#include "spool/spool_builder.h"

namespace ompdm::test::normalize_test {
namespace {

Trace read(const BufferBuilder& buffer) {
  return read_spool(write_file("normalize", spool_bytes(plain_header(), {buffer})));
}

Operation on_devices(Operation op, std::int32_t src, std::int32_t dst) {
  op.src_device = src;
  op.dst_device = dst;
  return op;
}

TEST(Normalize, TheHostsNumberIsLearnt) {
  BufferBuilder buffer(0);
  buffer.device(0, "generic-64bit").site(1, spool::Entry::kNone, 0x1000).region(1, 1, 2, 1, 9);
  buffer.op(1, alloc(2, 0xa000, 0xd000, 80));
  const Trace trace = read(buffer);
  EXPECT_EQ(trace.host_device, 4);
  ASSERT_EQ(trace.devices.size(), 2U);
  EXPECT_TRUE(trace.devices[0].emulated);
  EXPECT_TRUE(trace.devices[1].is_host);
  EXPECT_EQ(trace.devices[1].number, 4);
}

TEST(Normalize, WithoutOperationsTheHostComesAfterTheDevices) {
  BufferBuilder buffer(0);
  buffer.device(0, "sm_90").device(1, "sm_90");
  EXPECT_EQ(read(buffer).host_device, 2);
  EXPECT_EQ(read(BufferBuilder(0)).host_device, -1);
}

TEST(Normalize, ADeletesBytesAreThoseOfTheAllocation) {
  BufferBuilder buffer(0);
  buffer.site(1, spool::Entry::kNone, 0x1000).region(1, 1, 2, 1, 99);
  buffer.op(1, alloc(2, 0xa000, 0xd000, 5'368'709'120)).op(1, free_on_device(50, 0xd000));
  const Trace trace = read(buffer);
  EXPECT_EQ(trace.ops[1].kind, OpKind::kDelete);
  EXPECT_EQ(trace.ops[1].bytes, 5'368'709'120U);
  EXPECT_EQ(trace.ops[1].src_device, 0);
  EXPECT_EQ(trace.ops[1].dst_device, 4);
}

TEST(Normalize, AsynchronousFormsAndNowaitKindsAreTheirPlainForms) {
  BufferBuilder buffer(0);
  Operation op = to_device(2, 0xa000, 0xd000, 8);
  op.optype = 18;
  buffer.site(1, spool::Entry::kNone, 0x1000).region(1, 1, 12, 1, 9).op(1, op);
  const Trace trace = read(buffer);
  EXPECT_EQ(trace.ops[0].kind, OpKind::kHtoD);
  EXPECT_TRUE(trace.regions[0].nowait);
  EXPECT_EQ(trace.sites[0].directive, Directive::kTargetUpdate);
}

TEST(Normalize, OneOperationBetweenDevicesIsOneCopy) {
  BufferBuilder buffer(0);
  buffer.device(0, "sm_90").device(1, "sm_90").site(1, spool::Entry::kMemcpy, 0x1000);
  buffer.api_op(1, alloc(1, 0, 0xd000, 64));
  buffer.api_op(1, on_devices(from_device(10, 0xd000, 0xe000, 64), 0, 1));
  const Trace trace = read(buffer);
  EXPECT_EQ(trace.ops[1].kind, OpKind::kDtoD);
  EXPECT_EQ(trace.ops[1].clock, Clock::kEnqueue);
  EXPECT_EQ(trace.ops[1].dst_device, 1);
}

TEST(Normalize, TheHalvesOfABouncedCopyAreOne) {
  BufferBuilder buffer(0);
  buffer.site(1, spool::Entry::kMemcpy, 0x1000);
  Operation down = from_device(10, 0xd000, 0xbeef0, 64);
  Operation up = on_devices(to_device(20, 0xbeef0, 0xe000, 64), 4, 1);
  down.api_call = up.api_call = spool::CallId{1};
  buffer.api_op(1, down).api_op(1, up);
  const Trace trace = read(buffer);
  ASSERT_EQ(trace.ops.size(), 1U);
  EXPECT_EQ(trace.ops[0].kind, OpKind::kDtoD);
  EXPECT_EQ(trace.ops[0].src, 0xd000U);
  EXPECT_EQ(trace.ops[0].dst, 0xe000U);
  EXPECT_EQ(trace.ops[0].dst_device, 1);
  EXPECT_EQ(trace.ops[0].bytes, 64U);
  EXPECT_EQ(trace.ops[0].end, 25);
}

TEST(Normalize, TwoCallsThatGoThereAndBackAreTwoCopies) {
  BufferBuilder buffer(0);
  buffer.site(1, spool::Entry::kMemcpy, 0x1000);
  Operation down = from_device(10, 0xd000, 0xbeef0, 64);
  Operation up = to_device(20, 0xbeef0, 0xd000, 64);
  down.api_call = spool::CallId{1};
  up.api_call = spool::CallId{2};
  buffer.api_op(1, down).api_op(1, up);
  EXPECT_EQ(read(buffer).ops.size(), 2U);
}

TEST(Normalize, AMemsetIsOneFillAndItsStagingIsInternal) {
  BufferBuilder buffer(0);
  buffer.site(1, spool::Entry::kMemset, 0x1000).api_op(1, to_device(10, 0xbeef0, 0xd000, 64));
  const Trace trace = read(buffer);
  ASSERT_EQ(trace.ops.size(), 2U);
  EXPECT_EQ(trace.ops[0].kind, OpKind::kMemset);
  EXPECT_FALSE(trace.ops[0].internal);
  EXPECT_EQ(trace.ops[1].kind, OpKind::kHtoD);
  EXPECT_TRUE(trace.ops[1].internal);
  EXPECT_TRUE(trace.variables.empty());
}

TEST(Normalize, WorkOnAnAsynchronousDeviceIsTimedAsEnqueued) {
  BufferBuilder buffer(0);
  buffer.device(0, "sm_90").site(1, spool::Entry::kKernel, 0x1000).region(1, 1, 1, 1, 99);
  buffer.op(1, alloc(2, 0xa000, 0xd000, 8)).op(1, to_device(10, 0xa000, 0xd000, 8));
  Submit launch;
  launch.region = 1;
  launch.begin = tick(30);
  launch.end = tick(40);
  buffer.launch(launch);
  const Trace trace = read(buffer);
  EXPECT_EQ(trace.ops[0].clock, Clock::kHost);
  EXPECT_EQ(trace.ops[1].clock, Clock::kEnqueue);
  EXPECT_EQ(trace.launches[0].clock, Clock::kEnqueue);
}

TEST(Normalize, AFallbackIsARegionThatRanOnTheHost) {
  BufferBuilder buffer(0);
  buffer.site(1, spool::Entry::kKernel, 0x1000, {";a.c;main;3;1;;", {}});
  buffer.add(spool::Tag::kFallback, spool::Fallback{{}, spool::SiteId{1}, tick(50)});
  const Trace trace = read(buffer);
  ASSERT_EQ(trace.regions.size(), 1U);
  EXPECT_TRUE(trace.regions[0].host_fallback);
  EXPECT_EQ(trace.sites[0].directive, Directive::kTarget);
}

Operation of_type(Operation op, std::uint16_t optype) {
  op.optype = optype;
  return op;
}

std::uint64_t loss(const Trace& trace, const std::string& name) {
  for (const Loss& one : trace.losses) {
    if (one.name == name) return one.count;
  }
  return ~std::uint64_t{0};
}

// LLVM 23 tells the host as omp_initial_device: most "to device" copies here are between devices.
TEST(Normalize, AHostThatIsOnlyToldAsTheInitialDeviceComesAfterTheDevices) {
  BufferBuilder buffer(0);
  buffer.device(0, "sm_90").device(1, "sm_90").site(1, spool::Entry::kMemcpy, 0x1000);
  buffer.api_op(1, on_devices(alloc(1, 0, 0xd000, 64), -1, 0));
  buffer.api_op(1, on_devices(to_device(10, 0xa000, 0xd000, 64), -1, 0));
  buffer.api_op(1, on_devices(to_device(20, 0xd000, 0xe000, 64), 0, 1));
  buffer.api_op(1, on_devices(to_device(30, 0xd000, 0xe000, 64), 0, 1));
  buffer.api_op(1, on_devices(from_device(40, 0xe000, 0xa000, 64), 1, -1));
  const Trace trace = read(buffer);
  EXPECT_EQ(trace.host_device, 2);
  ASSERT_EQ(trace.ops.size(), 5U);
  EXPECT_EQ(trace.ops[1].kind, OpKind::kHtoD);
  EXPECT_EQ(trace.ops[1].src_device, 2);
  EXPECT_EQ(trace.ops[2].kind, OpKind::kDtoD);
  EXPECT_EQ(trace.ops[3].kind, OpKind::kDtoD);
  EXPECT_EQ(trace.ops[4].kind, OpKind::kDtoH);
  ASSERT_EQ(trace.devices.size(), 3U);
  EXPECT_TRUE(trace.devices[2].is_host);
}

TEST(Normalize, OperationsOfOpenMp60AreKnown) {
  BufferBuilder buffer(0);
  buffer.device(0, "sm_90").site(1, spool::Entry::kNone, 0x1000).region(1, 1, 4, 1, 99);
  buffer.op(1, of_type(to_device(10, 0xa000, 0xd000, 8), 7));
  buffer.op(1, of_type(from_device(20, 0xd000, 0xa000, 8), 23));
  buffer.op(1, of_type(to_device(30, 0xa000, 0xd000, 8), 9));
  buffer.op(1, of_type(from_device(40, 0xd000, 0xa000, 8), 25));
  buffer.op(1, of_type(to_device(50, 0xa000, 0xd000, 8), 24));
  buffer.op(1, of_type(alloc(60, 0xa000, 0xe000, 8), 17))
      .op(1, of_type(free_on_device(70, 0xe000), 20));
  const Trace trace = read(buffer);
  std::vector<OpKind> kinds;
  for (const DataOp& op : trace.ops) kinds.push_back(op.kind);
  EXPECT_EQ(kinds, (std::vector<OpKind>{OpKind::kHtoD, OpKind::kDtoH, OpKind::kHtoD, OpKind::kDtoH,
                                        OpKind::kMemset, OpKind::kAlloc, OpKind::kDelete}));
  EXPECT_EQ(loss(trace, "ops_unknown"), 0U);
}

TEST(Normalize, AMemsetThatIsToldIsOneFill) {
  BufferBuilder buffer(0);
  buffer.site(1, spool::Entry::kMemset, 0x1000).api_op(1, alloc(1, 0, 0xd000, 64));
  buffer.api_op(1, of_type(on_devices(to_device(10, 0xbeef0, 0xd000, 64), -1, 0), 8));
  const Trace trace = read(buffer);
  ASSERT_EQ(trace.ops.size(), 2U);
  EXPECT_EQ(trace.ops[1].kind, OpKind::kMemset);
  EXPECT_FALSE(trace.ops[1].internal);
  EXPECT_EQ(trace.ops[1].src, 0U);
  EXPECT_EQ(trace.ops[1].bytes, 64U);
}

TEST(Normalize, WhatNoSpecificationKnowsIsNoTransferButLost) {
  BufferBuilder buffer(0);
  buffer.site(1, spool::Entry::kNone, 0x1000).region(1, 1, 4, 1, 99);
  buffer.op(1, to_device(10, 0xa000, 0xd000, 8));
  std::uint64_t at = 20;
  constexpr std::uint16_t kUnknown[] = {0, 10, 16, 26, 35, 66};
  for (const std::uint16_t optype : kUnknown) {
    buffer.op(1, of_type(to_device(at, 0xa000, 0xd000, 8), optype));
    at += 10;
  }
  buffer.op(1, from_device(90, 0xd000, 0xa000, 8));
  const Trace trace = read(buffer);
  ASSERT_EQ(trace.ops.size(), 2U);
  EXPECT_EQ(trace.ops[0].kind, OpKind::kHtoD);
  EXPECT_EQ(trace.ops[1].kind, OpKind::kDtoH);
  EXPECT_EQ(loss(trace, "ops_unknown"), 6U);
}

}  // namespace
}  // namespace ompdm::test::normalize_test
