// When contents of transfers are examined, and what is written of them.

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>

#include "ompdm/finish.h"
#include "record/hashing.h"
#include "record/thread_buffer.h"
#include "record/transfers.h"

namespace ompdm::test::content_test {
namespace {

// What a wrapper would have seen of the region that begins next.
void call_of(spool::Entry entry, const void* codeptr) {
  static record::Call call;
  call = {};
  call.codeptr = codeptr;
  call.entry = entry;
  record::this_thread.call = &call;
}

TEST(Content, OfATransferToADeviceIsTakenBeforeItBegins) {
  Buffer buffer = numbers(80'000);
  const std::uint64_t sent = hash_of(buffer);
  const Recorded recorded = record(
      [&] {
        FakeRuntime::begin(kUpdate, 0, kSite);
        FakeRuntime::op_endpoint(ompt_scope_begin, 2, buffer.data(), kHost, kThere, 0,
                                 bytes_of(buffer), kSite);
        buffer[3] = 99;
        FakeRuntime::op_endpoint(ompt_scope_end, 2, buffer.data(), kHost, kThere, 0,
                                 bytes_of(buffer), kSite);
        FakeRuntime::end(kUpdate, 0, kSite);
      },
      kDefault);
  ASSERT_EQ(examined(recorded), (std::vector<std::size_t>{0}));
  const DataOp& op = recorded.trace.ops[0];
  EXPECT_EQ(op.hash, sent);
  EXPECT_EQ(op.fingerprint, sent);
  EXPECT_FALSE(op.trivial);
  // The time it took lies inside the region and outside the operation.
  const Region& region = recorded.trace.regions[0];
  EXPECT_GT(region.hashing, 0);
  EXPECT_EQ(region.hashing, recorded.trace.recording.hashing_ns);
  EXPECT_EQ(region.hashing_after, 0);
  EXPECT_GE(op.begin - region.begin, region.hashing);
  EXPECT_EQ(recorded.header.hashing, record::kHashDefault);
}

TEST(Content, FromADeviceIsTakenOnceItsRegionHasEnded) {
  Buffer first = numbers(80'000);
  Buffer second = numbers(8'000, 5);
  const auto body = [&] {
    FakeRuntime::begin(kTarget, 0, kSite);
    fetch(first);
    fetch(second);
    first[7] = 99;  // an asynchronous copy may arrive until now
    FakeRuntime::op(4, kThere, 0, nullptr, -1, 0, kSite);
    FakeRuntime::end(kTarget, 0, kSite);
    first[7] = 100;
  };
  const Recorded recorded = record(body, kDefault);
  first[7] = 99;
  ASSERT_EQ(examined(recorded), (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(recorded.trace.ops[0].hash, hash_of(first));
  EXPECT_EQ(recorded.trace.ops[1].hash, hash_of(second));
  EXPECT_FALSE(recorded.trace.ops[0].trivial);
  EXPECT_GT(recorded.trace.regions[0].hashing_after, 0);
  EXPECT_EQ(recorded.trace.regions[0].hashing, 0);
}

// A region of one item, whose data is sent or was there.
void region_of(int kind, const Buffer& buffer, std::int64_t type, bool is_sent) {
  static std::uint64_t begin;
  static std::int64_t size;
  static std::int64_t types;
  begin = reinterpret_cast<std::uint64_t>(buffer.data());
  size = static_cast<std::int64_t>(bytes_of(buffer));
  types = type;
  static record::Call call;
  call = {};
  call.codeptr = kSite;
  call.entry = spool::Entry::kKernel;
  call.map = {&begin, &begin, &size, &types, nullptr, 1};
  record::this_thread.call = &call;
  FakeRuntime::begin(kind, 0, kSite);
  if (is_sent) {
    FakeRuntime::op(1, buffer.data(), kHost, kThere, 0, bytes_of(buffer), kSite);
    send(buffer);
  }
  FakeRuntime::end(kind, 0, kSite);
}

TEST(Content, OfAnItemThatWasThereIsTakenOfTheHost) {
  constexpr std::int64_t kTo = 0x1;
  constexpr std::int64_t kAlways = 0x5;
  constexpr std::int64_t kImplicit = 0x203;
  constexpr int kExitData = 3;
  Buffer buffer = numbers(80'000);
  Buffer large = numbers(800'000);
  const std::uint64_t sent = hash_of(buffer);
  const Recorded recorded = record(
      [&] {
        region_of(kTarget, buffer, kTo, true);
        region_of(kTarget, buffer, kTo, false);  // region 1
        buffer[3] = 99;
        region_of(kTarget, buffer, kTo, false);  // region 2
        region_of(kTarget, buffer, kAlways, false);
        region_of(kTarget, buffer, kImplicit, false);
        region_of(kExitData, buffer, kTo, false);
        update_to(large);
        region_of(kTarget, large, kTo, false);  // region 7
      },
      kDefault);
  const std::vector<UnsentItem>& items = recorded.trace.unsent_items;
  ASSERT_EQ(items.size(), 3U);
  const auto host = reinterpret_cast<std::uint64_t>(buffer.data());
  EXPECT_EQ(items[0], (UnsentItem{{1}, host, bytes_of(buffer), sent}));
  buffer[3] = 99;
  EXPECT_EQ(items[1], (UnsentItem{{2}, host, bytes_of(buffer), hash_of(buffer)}));
  EXPECT_EQ(items[2].region.value, 7U);
  const DataOp& op = recorded.trace.ops.back();
  ASSERT_EQ(op.bytes, bytes_of(large));
  EXPECT_EQ(items[2].fingerprint, op.fingerprint) << "the blocks are those of a transfer";
  EXPECT_GT(recorded.trace.regions[1].hashing_after, 0);
  EXPECT_EQ(recorded.loss(spool::Loss::kContentsUnreadable), 0U);
}

TEST(Content, OfSuchAnItemIsTakenAtFewerAndFewerOccurrences) {
  const Buffer buffer = numbers(800);
  const auto body = [&] {
    for (int i = 0; i < 100; ++i) region_of(kTarget, buffer, 1, false);
  };
  std::vector<std::uint32_t> regions;
  for (const UnsentItem& item : record(body, kDefault).trace.unsent_items) {
    regions.push_back(item.region.value);
  }
  EXPECT_EQ(regions, (std::vector<std::uint32_t>{0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96}));
  EXPECT_EQ(record(body, kFull).trace.unsent_items.size(), 100U);
  EXPECT_EQ(record(body, {{"OMPDM_HASH", "off"}}).trace.unsent_items.size(), 0U);
}

TEST(Content, OfMemoryThatCannotBeReadIsALoss) {
  constexpr std::size_t kBytes = 8192;
  void* fenced = mmap(nullptr, kBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(fenced, MAP_FAILED);
  std::uint64_t begin = reinterpret_cast<std::uint64_t>(fenced);
  std::int64_t size = kBytes;
  std::int64_t type = 1;
  record::Call call{};
  call.codeptr = kSite;
  call.map = {&begin, &begin, &size, &type, nullptr, 1};
  const Recorded recorded = record(
      [&] {
        record::this_thread.call = &call;
        FakeRuntime::begin(kTarget, 0, kSite);
        FakeRuntime::end(kTarget, 0, kSite);
      },
      kDefault);
  EXPECT_TRUE(recorded.trace.unsent_items.empty());
  EXPECT_EQ(recorded.loss(spool::Loss::kContentsUnreadable), 1U);
  munmap(fenced, kBytes);
}

TEST(Content, OffTakesNone) {
  const Buffer buffer = numbers(80'000);
  for (const char* off : {"off", "0", "0.0%"}) {
    const Recorded recorded = record([&] { update_to(buffer); }, {{"OMPDM_HASH", off}});
    EXPECT_EQ(recorded.trace.ops.size(), 1U);
    EXPECT_TRUE(examined(recorded).empty());
    EXPECT_EQ(recorded.header.hashing, record::kHashNothing);
  }
}

TEST(Content, OneValueThroughoutIsMarked) {
  const Buffer zeros(1000, 0);
  const Buffer others = numbers(8000);
  const Recorded recorded = record(
      [&] {
        update_to(zeros);
        update_to(others);
      },
      kDefault);
  ASSERT_EQ(examined(recorded), (std::vector<std::size_t>{0, 1}));
  EXPECT_TRUE(recorded.trace.ops[0].trivial);
  EXPECT_FALSE(recorded.trace.ops[1].trivial);
}

TEST(Content, MoreThanCanWaitForARegionIsALoss) {
  const Buffer buffer = numbers(64'000);
  const Recorded recorded = record(
      [&] {
        FakeRuntime::begin(kTarget, 0, kSite);
        for (std::size_t i = 0; i < 40; ++i) {
          FakeRuntime::op(3, kThere, 0, buffer.data() + i, kHost, 800, kSite);
        }
        FakeRuntime::end(kTarget, 0, kSite);
      },
      kFull);
  ASSERT_EQ(recorded.trace.ops.size(), 40U);
  ASSERT_EQ(examined(recorded).size(), 32U);
  for (std::size_t i = 0; i < 32; ++i) {
    EXPECT_EQ(recorded.trace.ops[i].hash, XXH3_64bits(buffer.data() + i, 800));
  }
  EXPECT_EQ(recorded.loss(spool::Loss::kContentsPendingOverflow), 8U);
}

TEST(Content, WithoutKnownCompletionItIsNotTakenAndCounted) {
  const Buffer buffer = numbers(8000);
  const Recorded recorded = record(
      [&] {
        FakeRuntime::device(1, "sm_90");
        const auto target = [&](spool::Entry entry) {
          if (entry != spool::Entry::kNone) {
            call_of(entry, kSite);
          }
          FakeRuntime::begin(kTarget, 1, kSite);
          send(buffer, 1);
          fetch(buffer, 1);
          FakeRuntime::end(kTarget, 1, kSite);
        };
        target(spool::Entry::kKernel);        // ops 0 and 1: waited for
        target(spool::Entry::kKernelNowait);  // 2 and 3
        target(spool::Entry::kNone);          // 4 and 5: names are not known, so neither is this
        send(buffer, 1);                      // 6: an API call
        fetch(buffer, 1);                     // 7
        send(buffer, 0);                      // 8: a host that plays a device copies at once
        fetch(buffer, 0);                     // 9
      },
      kDefault);
  ASSERT_EQ(recorded.trace.ops.size(), 10U);
  EXPECT_EQ(examined(recorded), (std::vector<std::size_t>{0, 1, 2, 4, 6, 8, 9}));
  EXPECT_EQ(recorded.loss(spool::Loss::kContentsUnknownCompletion), 3U);
}

// Between devices, whatever the runtime calls it, and before any device is known: no address here
// can be read.
TEST(Content, OnlyWhatIsSurelyTheHostsIsRead) {
  constexpr int kInvalid = -2;  // below omp_initial_device no number is a device's
  const Recorded recorded = record(
      [] {
        FakeRuntime::begin(kTarget, 0, kSite);
        for (const int optype : {2, 3}) {
          FakeRuntime::op(optype, address(0x5000), 0, address(0x6000), 1, 800, kSite);
          FakeRuntime::op(optype, address(0x5000), kHost, address(0x6000), kHost, 800, kSite);
          FakeRuntime::op(optype, address(0x5000), kInvalid, address(0x6000), 1, 800, kSite);
          FakeRuntime::op(optype, address(0x5000), 0, address(0x6000), kInvalid, 800, kSite);
          FakeRuntime::op(optype, address(0x5000), kHost, address(0x6000), 100, 800, kSite);
          FakeRuntime::op(optype, address(0x5000), kHost, address(0x6000), 0, 0, kSite);
        }
        FakeRuntime::op(1, address(0x5000), kHost, address(0x6000), 0, 800, kSite);
        FakeRuntime::end(kTarget, 0, kSite);
      },
      kFull);
  EXPECT_EQ(recorded.trace.ops.size(), 13U);
  EXPECT_TRUE(examined(recorded).empty());
}

TEST(Content, OfARegionThatNeverEndsIsCounted) {
  const Buffer buffer = numbers(8000);
  const Recorded recorded = record(
      [&] {
        ompt_data_t outer{0};
        ompt_data_t inner{0};
        const auto target = [](ompt_scope_endpoint_t endpoint, ompt_data_t& data) {
          record::on_target(ompt_target, endpoint, 0, nullptr, nullptr, &data, kSite);
        };
        target(ompt_scope_begin, outer);
        target(ompt_scope_begin, inner);
        for (const auto endpoint : {ompt_scope_begin, ompt_scope_end}) {
          record::on_data_op(endpoint, nullptr, &inner, nullptr,
                             ompt_target_data_transfer_from_device, const_cast<void*>(kThere), 0,
                             const_cast<std::uint64_t*>(buffer.data()), kHost, 800, kSite);
        }
        target(ompt_scope_end, outer);
      },
      kDefault);
  EXPECT_TRUE(examined(recorded).empty());
  EXPECT_EQ(recorded.loss(spool::Loss::kContentsUnknownCompletion), 1U);
}

TEST(Content, WhatWasCommittedSurvivesAKill) {
  const Folder folder;
  const Buffer buffer = numbers(80'000);
  in_child(
      folder,
      [&] {
        FakeRuntime runtime;
        runtime.attach();
        update_to(buffer);
        FakeRuntime::begin(kTarget, 0, kSite);
        send(buffer);
        fetch(buffer);
        raise(SIGKILL);
      },
      kDefault);
  const Recorded recorded = read_back(folder.path() / "trace.json.spool");
  EXPECT_EQ(recorded.trace.ops.size(), 3U);
  EXPECT_EQ(examined(recorded), (std::vector<std::size_t>{0, 1}));
}

// From the callbacks to the model: whose content it is, and whose time.
TEST(Content, ReachesTheModel) {
  const Folder folder;
  const Buffer large = numbers(1 << 20);
  const Buffer zeros(1000, 0);
  in_child(
      folder,
      [&] {
        FakeRuntime runtime;
        runtime.attach();
        for (int i = 0; i < 3; ++i) {
          FakeRuntime::begin(kTarget, 0, kSite);
          FakeRuntime::op(1, large.data(), kHost, kThere, 0, bytes_of(large), kSite);
          send(large);
          send(zeros);
          fetch(large);
          FakeRuntime::op(4, kThere, 0, nullptr, -1, 0, kSite);
          FakeRuntime::end(kTarget, 0, kSite);
        }
        runtime.finish();
      },
      kFull);
  const Trace trace = read_spool(folder.path() / "trace.json.spool");
  ASSERT_EQ(trace.ops.size(), 15U);
  for (std::size_t i = 0; i < trace.ops.size(); ++i) {
    const DataOp& op = trace.ops[i];
    const bool moves = op.kind == OpKind::kHtoD || op.kind == OpKind::kDtoH;
    EXPECT_EQ(op.fingerprint != 0, moves) << i;
    EXPECT_EQ(op.trivial, moves && op.bytes == bytes_of(zeros)) << i;
    if (op.bytes == bytes_of(large) && moves) {
      EXPECT_EQ(op.hash, hash_of(large)) << i;
    }
  }
  EXPECT_EQ(trace.recording.hashing, "full");
  Nanoseconds inside = 0;
  for (const Region& region : trace.regions) {
    EXPECT_GT(region.hashing, 0);
    EXPECT_LT(region.hashing, region.end - region.begin);
    inside += region.hashing;
  }
  EXPECT_GT(trace.recording.hashing_ns, inside) << "what came back was looked at outside";
}

}  // namespace
}  // namespace ompdm::test::content_test
