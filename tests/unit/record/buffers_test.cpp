// Threads, thread buffers and chunks: nothing is lost and nothing is mixed, however many there are.

#include <gtest/gtest.h>
#include <unistd.h>

#include <barrier>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include "record/recording.h"
#include "spool_format/activities.h"

namespace ompdm::test::buffers_test {
namespace {

void regions_with_ops(int count, std::uint64_t codeptr) {
  for (int i = 0; i < count; ++i) {
    FakeRuntime::begin(4, 0, address(codeptr));
    FakeRuntime::op(2, address(codeptr), kHost, address(0x9000), 0, 8, address(codeptr));
    FakeRuntime::end(4, 0, address(codeptr));
  }
}

TEST(Buffers, ManyShortThreadsShareFewBuffers) {
  constexpr int kThreads = 300;
  const Recorded recorded = record([] {
    for (int i = 0; i < kThreads; ++i) {
      std::thread(regions_with_ops, 3, 0x1000).join();
    }
  });
  ASSERT_EQ(recorded.trace.regions.size(), 3U * kThreads);
  // One thread's rows are said to repeat those of the one before it.
  for (std::uint32_t i = 0; i < 3U * kThreads; ++i) {
    const Region region = recorded.trace.regions[i];
    EXPECT_EQ(region.thread, recorded.trace.regions[i - i % 3].thread);
    EXPECT_EQ(region.thread != recorded.trace.regions[0].thread, i >= 3) << i;
  }
  for (const DataOp& op : recorded.trace.ops) {
    EXPECT_EQ(op.thread, recorded.trace.regions[op.region.value].thread);
  }
  EXPECT_EQ(recorded.count(spool::Tag::kBufferThread), kThreads);
  EXPECT_LE(recorded.buffers, 2U);
  EXPECT_EQ(recorded.count(spool::Tag::kSite), 1U);
}

TEST(Buffers, ConcurrentThreadsLoseNothing) {
  static constexpr int kThreads = 8;
  static constexpr int kRegions = 5000;
  const Recorded recorded = record([] {
    std::vector<std::thread> threads;
    std::barrier all_have_a_buffer(kThreads);
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&all_have_a_buffer, i] {
        const std::uint64_t codeptr = 0x1000 + 16 * static_cast<unsigned>(i);
        regions_with_ops(1, codeptr);
        all_have_a_buffer.arrive_and_wait();
        regions_with_ops(kRegions - 1, codeptr);
      });
    }
    for (auto& thread : threads) {
      thread.join();
    }
  });
  EXPECT_EQ(recorded.trace.regions.size(), std::size_t{kThreads} * kRegions);
  EXPECT_EQ(recorded.trace.ops.size(), std::size_t{kThreads} * kRegions);
  EXPECT_GT(recorded.chunks, 8U);
  for (std::size_t i = 0; i < std::size(spool::kLossNames); ++i) {
    if (i != static_cast<std::size_t>(spool::Loss::kNamesUnavailable)) {
      EXPECT_EQ(recorded.header.losses[i], 0U) << spool::kLossNames[i];
    }
  }
}

std::uint64_t resident_bytes() {
  std::uint64_t total = 0;
  std::uint64_t resident = 0;
  std::ifstream("/proc/self/statm") >> total >> resident;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

TEST(Buffers, OfAThousandThreadsAtOnceAreSmall) {
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
  const Recorded recorded = read_back(folder.path() / "trace.json.spool");
  EXPECT_EQ(recorded.buffers, kThreads);
  EXPECT_EQ(recorded.trace.regions.size(), kThreads);
  EXPECT_EQ(recorded.trace.ops.size(), kThreads);
  EXPECT_LT(std::filesystem::file_size(folder.path() / "trace.json.spool"), 16 * kMebibyte);
  std::uint64_t grown = 0;
  std::ifstream(folder.path() / "grown") >> grown;
  EXPECT_GT(grown, 0U);
#if !defined(OMPDM_SANITIZED)
  EXPECT_LT(grown, 64 * kMebibyte);
#endif
}

TEST(Buffers, ARegionThatOutlivesItsChunkIsStillClosed) {
  const Recorded recorded = record([] {
    FakeRuntime::begin(1, 0, address(0x1000));
    for (int i = 0; i < 5000; ++i) {
      FakeRuntime::op(2, address(0x500), kHost, address(0x9000), 0, 8, address(0x1000));
    }
    FakeRuntime::end(1, 0, address(0x1000));
    regions_with_ops(5000, 0x2000);
  });
  ASSERT_EQ(recorded.trace.regions.size(), 5001U);
  EXPECT_GE(recorded.trace.regions[0].end, recorded.trace.ops[4999].end);
  for (int i = 0; i < 5000; ++i) {
    ASSERT_EQ(recorded.trace.ops[static_cast<std::size_t>(i)].region.value, 0U);
  }
}

TEST(Buffers, WhatALoopRepeatsIsWrittenShort) {
  const Recorded recorded = record([] { regions_with_ops(1000, 0x1000); });
  ASSERT_EQ(recorded.trace.regions.size(), 1000U);
  ASSERT_EQ(recorded.trace.ops.size(), 1000U);
  EXPECT_LE(recorded.told(spool::Event::kBegin), recorded.chunks);
  EXPECT_LE(recorded.told(spool::Event::kOp), 2 * recorded.chunks);
  for (std::size_t i = 0; i < 1000; ++i) {
    ASSERT_EQ(recorded.trace.ops[i].region.value, i);
    ASSERT_LE(recorded.trace.regions[i].begin, recorded.trace.ops[i].begin);
    ASSERT_LE(recorded.trace.ops[i].end, recorded.trace.regions[i].end);
    ASSERT_EQ(recorded.trace.ops[i].bytes, 8U);
  }
}

TEST(Buffers, ARegionRepeatsItsOperationsAsFarAsTheyAreTheSame) {
  const Recorded recorded = record([] {
    for (int i = 0; i < 4; ++i) {
      FakeRuntime::begin(2, 0, address(0x1000));
      FakeRuntime::op(1, address(0x500), kHost, address(0x9000), 0, 8, address(0x1000));
      FakeRuntime::op(2, address(0x500), kHost, address(0x9000), 0, i == 2 ? 16 : 8,
                      address(0x1000));
      FakeRuntime::op(2, address(0x600), kHost, address(0xa000), 0, 24, address(0x1000));
      FakeRuntime::end(2, 0, address(0x1000));
    }
  });
  ASSERT_EQ(recorded.trace.regions.size(), 4U);
  ASSERT_EQ(recorded.trace.ops.size(), 12U);
  for (std::size_t i = 0; i < 12; ++i) {
    const std::uint64_t bytes[] = {8, i / 3 == 2 ? 16U : 8U, 24};
    EXPECT_EQ(recorded.trace.ops[i].bytes, bytes[i % 3]) << i;
    EXPECT_EQ(recorded.trace.ops[i].region.value, i / 3) << i;
  }
  // The third pass's second operation is new, and the fourth's is after that.
  EXPECT_EQ(recorded.told(spool::Event::kBegin), 1U);
  EXPECT_EQ(recorded.told(spool::Event::kOp), 3U + 2U);
}

TEST(Buffers, ALongRegionAndALongPauseAreToldInFull) {
  constexpr auto kLong = std::chrono::milliseconds(2500);  // over 2^32 ticks of most processors
  const auto before = std::chrono::steady_clock::now();
  const Recorded recorded = record([=] {
    for (int i = 0; i < 4; ++i) {
      FakeRuntime::begin(4, 0, address(0x1000));
      if (i == 2) {
        std::this_thread::sleep_for(kLong);
      }
      FakeRuntime::end(4, 0, address(0x1000));
    }
  });
  const std::chrono::duration<double> around = std::chrono::steady_clock::now() - before;
  ASSERT_EQ(recorded.trace.regions.size(), 4U);
  const Region& region = recorded.trace.regions[2];
  const double told = static_cast<double>(region.end - region.begin) / 1e9;
  EXPECT_GE(told, 2.49);
  EXPECT_LE(told, around.count());
  EXPECT_GE(recorded.trace.regions[3].begin, region.end);
}

TEST(Buffers, WhatDiffersIsTold) {
  const Recorded recorded = record([] {
    for (std::uint64_t i = 0; i < 100; ++i) {
      FakeRuntime::begin(4, static_cast<int>(i % 2), address(0x1000));
      FakeRuntime::op(2, address(0x500), kHost, address(0x9000), 0, 8 + i, address(0x1000));
      FakeRuntime::end(4, static_cast<int>(i % 2), address(0x1000));
    }
  });
  EXPECT_EQ(recorded.told(spool::Event::kBegin), 2U);  // one a device
  EXPECT_EQ(recorded.told(spool::Event::kOp), 100U);
  for (std::uint64_t i = 0; i < 100; ++i) {
    ASSERT_EQ(recorded.trace.regions[i].device, static_cast<int>(i % 2));
    ASSERT_EQ(recorded.trace.ops[i].bytes, 8 + i);
  }
}

// It says nothing but its times: what the event before it said is not its own.
TEST(Buffers, AnApiOperationThatRepeatsIsWhatItWasWhateverCameBetween) {
  const Recorded recorded = record([] {
    for (std::uint64_t i = 0; i < 3; ++i) {
      FakeRuntime::op(2, address(0x10), kHost, address(0x20), 0, 64, address(0x9000));
      FakeRuntime::begin(4, 0, address(0x1000));
      FakeRuntime::op(2, address(0x30), kHost, address(0x40), 0, 8 + i, address(0x1000));
      FakeRuntime::end(4, 0, address(0x1000));
    }
  });
  ASSERT_EQ(recorded.trace.ops.size(), 6U);
  for (std::size_t i = 0; i < 6; i += 2) {
    const DataOp op = recorded.trace.ops[i];
    EXPECT_EQ(op.bytes, 64U);
    EXPECT_EQ(op.src, 0x10U);
    ASSERT_TRUE(op.site);
    EXPECT_EQ(recorded.site_extras[op.site.value].codeptr, 0x9000U);
  }
}

// By these ids CUPTI's activities find what asked for them.
TEST(Buffers, NoTwoHaveTheSameExternalIdAtOneInstant) {
  constexpr std::uint64_t kInstant = 0x12'3456'789a'bcde;
  std::set<std::uint64_t> ids;
  constexpr std::uint32_t kBuffers = 20'000;
  for (std::uint32_t buffer = 0; buffer < kBuffers; ++buffer) {
    ids.insert(spool::external_id(spool::BufferId{buffer}, kInstant));
  }
  EXPECT_EQ(ids.size(), kBuffers);
}

}  // namespace
}  // namespace ompdm::test::buffers_test
