// Threads, lanes and chunks: nothing is lost and nothing is mixed, however many there are.

#include <gtest/gtest.h>
#include <unistd.h>

#include <barrier>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include "record/recording.h"
#include "spool/activities.h"

namespace ompdm::test {
namespace {

void regions_with_ops(int count, std::uint64_t codeptr) {
  for (int i = 0; i < count; ++i) {
    FakeRuntime::begin(4, 0, address(codeptr));
    FakeRuntime::op(2, address(codeptr), kHost, address(0x9000), 0, 8, address(codeptr));
    FakeRuntime::end(4, 0, address(codeptr));
  }
}

TEST(Lanes, ManyShortThreadsShareFewLanes) {
  constexpr int kThreads = 300;
  const Records records = record([] {
    for (int i = 0; i < kThreads; ++i) {
      std::thread(regions_with_ops, 3, 0x1000).join();
    }
  });
  EXPECT_EQ(records.regions.size(), 3U * kThreads);
  EXPECT_EQ(records.threads.size(), kThreads);
  EXPECT_LE(records.lanes, 2U);
  EXPECT_EQ(records.sites.size(), 1U);
}

TEST(Lanes, ConcurrentThreadsLoseNothing) {
  static constexpr int kThreads = 8;
  static constexpr int kRegions = 5000;
  const Records records = record([] {
    std::vector<std::thread> threads;
    std::barrier all_have_a_lane(kThreads);
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&all_have_a_lane, i] {
        const std::uint64_t codeptr = 0x1000 + 16 * static_cast<unsigned>(i);
        regions_with_ops(1, codeptr);
        all_have_a_lane.arrive_and_wait();
        regions_with_ops(kRegions - 1, codeptr);
      });
    }
    for (auto& thread : threads) {
      thread.join();
    }
  });
  EXPECT_EQ(records.regions.size(), std::size_t{kThreads} * kRegions);
  EXPECT_EQ(records.ops.size(), std::size_t{kThreads} * kRegions);
  EXPECT_FALSE(records.damaged);
  EXPECT_GT(records.chunks, 8U);
  for (std::size_t i = 0; i < std::size(spool::kLossNames); ++i) {
    if (i != static_cast<std::size_t>(spool::Loss::kNamesUnavailable)) {
      EXPECT_EQ(records.header.losses[i], 0U) << spool::kLossNames[i];
    }
  }
}

std::uint64_t resident_bytes() {
  std::uint64_t total = 0;
  std::uint64_t resident = 0;
  std::ifstream("/proc/self/statm") >> total >> resident;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

TEST(Lanes, OfAThousandThreadsAtOnceAreSmall) {
  static constexpr int kThreads = 1000;
  static constexpr std::uint64_t kMebibyte = 1 << 20;
  const Folder folder;
  const Outcome outcome = in_child(folder, [] {
    FakeRuntime runtime;
    runtime.attach();
    std::barrier all(kThreads + 1);
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&all] {
        all.arrive_and_wait();
        all.arrive_and_wait();
        regions_with_ops(1, 0x1000);
        all.arrive_and_wait();
        all.arrive_and_wait();
      });
    }
    all.arrive_and_wait();
    const std::uint64_t before = resident_bytes();
    all.arrive_and_wait();
    all.arrive_and_wait();
    std::ofstream("grown") << resident_bytes() - before;
    all.arrive_and_wait();
    for (auto& thread : threads) {
      thread.join();
    }
    runtime.finish();
  });
  ASSERT_EQ(outcome.status, 0) << outcome.messages;
  const Records records = read_records(folder.path() / "trace.json.spool");
  EXPECT_EQ(records.lanes, kThreads);
  EXPECT_EQ(records.regions.size(), kThreads);
  EXPECT_EQ(records.ops.size(), kThreads);
  EXPECT_LT(std::filesystem::file_size(folder.path() / "trace.json.spool"), 16 * kMebibyte);
  std::uint64_t grown = 0;
  std::ifstream(folder.path() / "grown") >> grown;
  EXPECT_GT(grown, 0U);
#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
  EXPECT_LT(grown, 64 * kMebibyte);
#endif
}

TEST(Lanes, ARegionThatOutlivesItsChunkIsStillClosed) {
  const Records records = record([] {
    FakeRuntime::begin(1, 0, address(0x1000));
    for (int i = 0; i < 5000; ++i) {
      FakeRuntime::op(2, address(0x500), kHost, address(0x9000), 0, 8, address(0x1000));
    }
    FakeRuntime::end(1, 0, address(0x1000));
    regions_with_ops(5000, 0x2000);
  });
  ASSERT_EQ(records.regions.size(), 5001U);
  EXPECT_GE(records.regions[0].end, records.ops[4999].end);
  for (int i = 0; i < 5000; ++i) {
    ASSERT_EQ(records.ops[static_cast<std::size_t>(i)].owner, records.regions[0].id);
  }
}

TEST(Lanes, WhatALoopRepeatsIsWrittenShort) {
  const Records records = record([] { regions_with_ops(1000, 0x1000); });
  ASSERT_EQ(records.regions.size(), 1000U);
  ASSERT_EQ(records.ops.size(), 1000U);
  EXPECT_GE(records.short_records, 2U * 1000 - 2 * records.chunks);
  for (std::size_t i = 0; i < 1000; ++i) {
    ASSERT_EQ(records.ops[i].owner, records.regions[i].id);
    ASSERT_LE(records.regions[i].begin, records.ops[i].begin);
    ASSERT_LE(records.ops[i].end, records.regions[i].end);
    ASSERT_EQ(records.ops[i].bytes, 8U);
  }
}

TEST(Lanes, ARegionRepeatsItsOperationsAsFarAsTheyAreTheSame) {
  const Records records = record([] {
    for (int i = 0; i < 4; ++i) {
      FakeRuntime::begin(2, 0, address(0x1000));
      FakeRuntime::op(1, address(0x500), kHost, address(0x9000), 0, 8, address(0x1000));
      FakeRuntime::op(2, address(0x500), kHost, address(0x9000), 0, i == 2 ? 16 : 8,
                      address(0x1000));
      FakeRuntime::op(2, address(0x600), kHost, address(0xa000), 0, 24, address(0x1000));
      FakeRuntime::end(2, 0, address(0x1000));
    }
  });
  ASSERT_EQ(records.regions.size(), 4U);
  ASSERT_EQ(records.ops.size(), 12U);
  for (std::size_t i = 0; i < 12; ++i) {
    const std::uint64_t bytes[] = {8, i / 3 == 2 ? 16U : 8U, 24};
    EXPECT_EQ(records.ops[i].bytes, bytes[i % 3]) << i;
    EXPECT_EQ(records.ops[i].owner, records.regions[i / 3].id) << i;
  }
  // The third pass's second operation is new; the fourth pass goes on as the first did.
  EXPECT_EQ(records.short_records, 4U + 3U + 4U);
}

TEST(Lanes, ALongRegionAndALongPauseAreToldInFull) {
  constexpr auto kLong = std::chrono::milliseconds(2500);  // over 2^32 ticks of most processors
  const Records records = record([=] {
    for (int i = 0; i < 4; ++i) {
      FakeRuntime::begin(4, 0, address(0x1000));
      if (i == 2) {
        std::this_thread::sleep_for(kLong);
      }
      FakeRuntime::end(4, 0, address(0x1000));
    }
  });
  ASSERT_EQ(records.regions.size(), 4U);
  const auto ticks_a_second =
      static_cast<double>(records.header.trailer.ticks - records.header.attach.ticks) * 1e9 /
      static_cast<double>(records.header.trailer.monotonic_ns - records.header.attach.monotonic_ns);
  const auto lasted = static_cast<double>(records.regions[2].end - records.regions[2].begin);
  EXPECT_NEAR(lasted / ticks_a_second, 2.5, 0.2);
  EXPECT_GE(records.regions[3].begin, records.regions[2].end);
}

TEST(Lanes, WhatDiffersIsWrittenWhole) {
  const Records records = record([] {
    for (std::uint64_t i = 0; i < 100; ++i) {
      FakeRuntime::begin(4, static_cast<int>(i % 2), address(0x1000));
      FakeRuntime::op(2, address(0x500), kHost, address(0x9000), 0, 8 + i, address(0x1000));
      FakeRuntime::end(4, static_cast<int>(i % 2), address(0x1000));
    }
  });
  EXPECT_EQ(records.short_records, 0U);
  for (std::uint64_t i = 0; i < 100; ++i) {
    ASSERT_EQ(records.regions[i].device, static_cast<int>(i % 2));
    ASSERT_EQ(records.ops[i].bytes, 8 + i);
  }
}

// By these ids CUPTI's activities find what asked for them.
TEST(Lanes, NoTwoHaveTheSameExternalIdAtOneInstant) {
  constexpr std::uint64_t kInstant = 0x12'3456'789a'bcde;
  std::set<std::uint64_t> ids;
  constexpr std::uint32_t kLanes = 20'000;
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    ids.insert(spool::external_id(lane, kInstant));
  }
  EXPECT_EQ(ids.size(), kLanes);
}

TEST(Lanes, CommonRecordsStaySmall) {
  EXPECT_LE(sizeof(spool::Region), 64U);
  EXPECT_LE(sizeof(spool::DataOp), 64U);
  EXPECT_LE(sizeof(spool::Launch), 64U);
}

}  // namespace
}  // namespace ompdm::test
