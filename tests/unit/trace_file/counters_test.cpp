#include <gtest/gtest.h>

#include <vector>

#include "model/device_memory.h"
#include "trace_files/tracks.h"

namespace ompdm::counters_test {
namespace {

Trace empty_trace() {
  Trace trace;
  trace.host_device = 2;
  return trace;
}

DataOp op(OpKind kind, std::int32_t device, std::uint64_t address, std::uint64_t bytes,
          Nanoseconds begin, Nanoseconds end) {
  DataOp result;
  result.kind = kind;
  const bool from = kind == OpKind::kDelete || kind == OpKind::kDtoH;
  result.src_device = from ? device : 2;
  result.dst_device = from ? 2 : device;
  (from ? result.src : result.dst) = address;
  result.bytes = bytes;
  result.begin = begin;
  result.end = end;
  return result;
}

TEST(DeviceMemory, FollowsAllocationsOfEachDevice) {
  const Trace trace = empty_trace();
  DeviceMemoryReplay memory(trace);
  EXPECT_EQ(memory.after(op(OpKind::kAlloc, 0, 0x10, 100, 0, 5))->bytes, 100U);
  EXPECT_EQ(memory.after(op(OpKind::kAlloc, 1, 0x10, 7, 0, 5))->bytes, 7U);
  EXPECT_EQ(memory.after(op(OpKind::kAlloc, 0, 0x20, 50, 5, 9))->bytes, 150U);
  const auto sample = memory.after(op(OpKind::kDelete, 0, 0x10, 0, 10, 12));
  EXPECT_EQ(sample->bytes, 50U);
  EXPECT_EQ(sample->device, 0);
  EXPECT_EQ(sample->time, 12);
}

TEST(DeviceMemory, KnowsNothingOfWhatItDidNotSee) {
  const Trace trace = empty_trace();
  DeviceMemoryReplay memory(trace);
  EXPECT_FALSE(memory.after(op(OpKind::kDelete, 0, 0x10, 100, 0, 5)));
  EXPECT_FALSE(memory.after(op(OpKind::kAlloc, 0, 0, 100, 0, 5))) << "a failed allocation";
  DataOp unfinished = op(OpKind::kAlloc, 0, 0x10, 100, 0, 5);
  unfinished.unfinished = true;
  EXPECT_FALSE(memory.after(unfinished));
  EXPECT_EQ(memory.after(op(OpKind::kAlloc, 0, 0x10, 100, 0, 5))->bytes, 100U);
  EXPECT_EQ(memory.after(op(OpKind::kAlloc, 0, 0x10, 30, 6, 7))->bytes, 30U)
      << "freed unseen and given out again";
}

TEST(TransferRates, SpreadBytesOverTheirTime) {
  Trace trace = empty_trace();
  trace.ops = {op(OpKind::kHtoD, 0, 0x10, 1000, 0, 999)};
  const std::vector<RateSample> rates = transfer_rates(trace, 10);
  ASSERT_GE(rates.size(), 2U);
  EXPECT_EQ(rates[0].time, 0);
  EXPECT_NEAR(rates[0].bytes_per_ns, 1.0, 0.01);
  EXPECT_EQ(rates.back().bytes_per_ns, 0);
}

TEST(TransferRates, SumOfBinsIsTheSumOfBytes) {
  Trace trace = empty_trace();
  std::uint64_t bytes = 0;
  for (int i = 0; i < 100; ++i) {
    trace.ops.push_back(op(OpKind::kDtoH, 1, 0x10, 5000 + static_cast<std::uint64_t>(i) * 37,
                           i * 1000, i * 1000 + 700 + i * 31));
    bytes += trace.ops.back().bytes;
  }
  const std::vector<RateSample> rates = transfer_rates(trace, 64);
  double sum = 0;
  for (std::size_t i = 0; i + 1 < rates.size(); ++i) {
    EXPECT_EQ(rates[i].device, 1);
    sum += rates[i].bytes_per_ns * static_cast<double>(rates[i + 1].time - rates[i].time);
  }
  EXPECT_EQ(rates.back().bytes_per_ns, 0);
  EXPECT_NEAR(sum, static_cast<double>(bytes), static_cast<double>(bytes) * 0.001);
}

TEST(TransferRates, NothingIsClaimedWhereTheEndIsNotKnown) {
  Trace trace = empty_trace();
  trace.ops = {op(OpKind::kHtoD, 0, 0x10, 1000, 0, 10), op(OpKind::kHtoD, 0, 0x10, 1000, 0, 10),
               op(OpKind::kHtoD, 0, 0x10, 1000, 10, 10), op(OpKind::kAlloc, 0, 0x10, 1000, 0, 10)};
  trace.ops.edit(0)->clock = Clock::kEnqueue;
  trace.ops.edit(1)->unfinished = true;
  EXPECT_TRUE(transfer_rates(trace, 10).empty());
}

}  // namespace
}  // namespace ompdm::counters_test
