// What LLVM 23 and OpenMP 6.0 tell otherwise than the runtimes that the recorder was written on.

#include <gtest/gtest.h>

#include "record/entry_points.h"
#include "record/thread_buffer.h"
#include "record/transfers.h"

#if defined(__x86_64__)
extern "C" void ompdm_wrap_kernel();
#endif

namespace ompdm::test::next_runtime_test {
namespace {

constexpr int kInitialDevice = -1;
constexpr int kAsync = 16;
constexpr int kTransfer = 7;
constexpr int kMemset = 8;
constexpr int kTransferRect = 9;

void update(const std::function<void()>& operation) {
  FakeRuntime::begin(kUpdate, 0, kSite);
  operation();
  FakeRuntime::end(kUpdate, 0, kSite);
}

TEST(NextRuntime, AHostToldAsTheInitialDeviceIsTheHost) {
  const Buffer buffer = numbers(80'000);
  const Recorded recorded = record(
      [&] {
        update([&] {
          FakeRuntime::op(2, buffer.data(), kInitialDevice, kThere, 0, bytes_of(buffer), kSite);
        });
        update([&] {
          FakeRuntime::op(3, kThere, 1, buffer.data(), kInitialDevice, bytes_of(buffer), kSite);
        });
      },
      kFull);
  ASSERT_EQ(examined(recorded), (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(recorded.trace.ops[0].hash, hash_of(buffer));
  EXPECT_EQ(recorded.trace.ops[1].hash, hash_of(buffer));
}

// Of an operation that is between devices, or whose devices are not known, no address is read.
TEST(NextRuntime, TransfersOfOpenMp60AreToldByTheirDevices) {
  const Buffer buffer = numbers(80'000);
  const void* nowhere = address(0x40);
  const std::size_t bytes = bytes_of(buffer);
  const Recorded recorded = record(
      [&] {
        update([&] { FakeRuntime::op(kTransfer, buffer.data(), kHost, kThere, 0, bytes, kSite); });
        update([&] {
          FakeRuntime::op(kTransfer + kAsync, kThere, 0, buffer.data(), kInitialDevice, bytes,
                          kSite);
        });
        update([&] { FakeRuntime::op(kTransfer, nowhere, 0, kThere, 1, bytes, kSite); });
        update(
            [&] { FakeRuntime::op(kTransfer, nowhere, kInitialDevice, kThere, 70, bytes, kSite); });
      },
      kFull);
  EXPECT_EQ(examined(recorded), (std::vector<std::size_t>{0, 1}));
  ASSERT_EQ(recorded.trace.ops.size(), 4U);
  EXPECT_EQ(recorded.op_extras[1].optype, kTransfer + kAsync);
}

TEST(NextRuntime, WhatIsNoPlainTransferIsNotLookedAt) {
  const void* nowhere = address(0x40);
  // Those of 5.2 and 6.0 that scatter, fill or free, and what neither knows: 35 and 66 end in the
  // bits of a transfer.
  const std::vector<int> optypes = {
      kMemset, kTransferRect, kMemset + kAsync, kTransferRect + kAsync, 10, 21 + kAsync, 35, 66};
  const Recorded recorded = record(
      [&] {
        for (const int optype : optypes) {
          update([&] { FakeRuntime::op(optype, nowhere, kHost, kThere, 0, 4096, kSite); });
          update([&] { FakeRuntime::op(optype, kThere, 0, nowhere, kHost, 4096, kSite); });
        }
      },
      kFull);
  EXPECT_TRUE(examined(recorded).empty());
  EXPECT_EQ(recorded.trace.ops.size(), 2 * optypes.size());
  EXPECT_EQ(recorded.loss(spool::Loss::kContentsUnknownCompletion), 0U);
}

#if defined(__x86_64__)
using record::Ident;

// libomptarget's argument structure, versions 2 to 5.
struct KernelArgs {
  std::uint32_t version;
  std::uint32_t count;
  void** bases;
  void** begins;
  std::int64_t* sizes;
  std::int64_t* types;
  const char** names;
  void** mappers = nullptr;
  std::uint64_t trip_count = 0;
  std::uint64_t flags = 0;
  std::uint32_t num_teams[3] = {};
  std::uint32_t thread_limit[3] = {};
  std::uint32_t shared_memory = 0;
};
using Kernel = int(Ident*, std::int64_t, std::int32_t, std::int32_t, void*, KernelArgs*);

int fake_kernel(Ident*, std::int64_t device, std::int32_t, std::int32_t, void*, KernelArgs*) {
  const void* codeptr = __builtin_return_address(0);
  FakeRuntime::begin(1, static_cast<int>(device), codeptr);
  FakeRuntime::submit(8);
  FakeRuntime::end(1, static_cast<int>(device), codeptr);
  return 0;
}

// Two arguments of the program, and the runtime's own, which has no name: reading it ends badly.
Recorded launch(std::uint32_t version, std::uint32_t count, std::uint64_t flags) {
  return record([=] {
    static const char* const kNoName = reinterpret_cast<const char*>(0x40);
    static Ident ident{{}, ";heat.cpp;main;41;3;;"};
    static const char* names[] = {";u;heat.cpp;13;32;;", ";n;heat.cpp;14;32;;", kNoName};
    static void* pointers[] = {reinterpret_cast<void*>(0x10000), reinterpret_cast<void*>(7),
                               nullptr};
    static std::int64_t sizes[] = {800, 4, 0};
    static std::int64_t types[] = {0x23, 0x320, 0x120};
    constexpr unsigned kPosition = 6;
    ASSERT_STREQ(record::kWrappers[kPosition].name, "__tgt_target_kernel");
    record::ompdm_real[kPosition] = reinterpret_cast<void*>(fake_kernel);
    KernelArgs arguments{version, count, pointers, pointers, sizes, types, names};
    arguments.flags = flags;
    reinterpret_cast<Kernel*>(&ompdm_wrap_kernel)(&ident, 0, 8, 64, reinterpret_cast<void*>(0xbeef),
                                                  &arguments);
    asm volatile("");  // keeps the call from becoming a jump
  });
}

TEST(NextRuntime, TheRuntimesOwnKernelArgumentIsNoItem) {
  for (const std::uint32_t version : {4U, 5U}) {
    const Recorded recorded = launch(version, 3, 0);
    ASSERT_EQ(recorded.count(spool::Tag::kSite), 1U);
    EXPECT_EQ(recorded.site_extras[0].names.size(), 2U);
    ASSERT_EQ(recorded.trace.map_lists.size(), 1U);
    EXPECT_EQ(recorded.trace.map_lists[0].size(), 2U);
    EXPECT_EQ(recorded.trace.launches.size(), 1U);
  }
}

TEST(NextRuntime, AKernelWithoutItemsHasItToo) {
  const Recorded recorded = launch(4, 1, 0);
  ASSERT_EQ(recorded.count(spool::Tag::kSite), 1U);
  EXPECT_TRUE(recorded.site_extras[0].names.empty());
  EXPECT_TRUE(recorded.trace.map_lists.empty());
}

TEST(NextRuntime, NowaitIsToldByAFlag) {
  const auto entry = [](std::uint64_t flags) {
    return launch(3, 2, flags).site_extras.at(0).entry;
  };
  EXPECT_EQ(entry(0), spool::Entry::kKernel);
  EXPECT_EQ(entry(1), spool::Entry::kKernelNowait);
  EXPECT_EQ(entry(2), spool::Entry::kKernel);
}
#endif

}  // namespace
}  // namespace ompdm::test::next_runtime_test
