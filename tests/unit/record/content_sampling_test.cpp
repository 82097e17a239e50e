// Which contents of transfers are examined: by occurrence and bytes.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <set>
#include <thread>

#include "ompdm/finish.h"
#include "record/hashing.h"
#include "record/thread_buffer.h"
#include "record/transfers.h"

namespace ompdm::test::content_sampling_test {
namespace {

TEST(ContentSampling, SharesAreReadAndOthersSaid) {
  using Share = std::pair<const char*, std::uint32_t>;
  for (const auto& [text, share] :
       {Share{"3", 30'000}, Share{"0.5", 5'000}, Share{"12.25%", 122'500}, Share{"100", 1'000'000},
        Share{"full", record::kHashEverything}}) {
    const Recorded recorded = record([] { update_to({}); }, {{"OMPDM_HASH", text}});
    EXPECT_EQ(recorded.header.hashing, share) << text;
  }
  for (const char* wrong : {"on", "-1", "101", "1e1", "3,5", "%", ".", "3%%", "99999999999"}) {
    const Folder folder;
    const Outcome outcome = in_child(folder,
                                     [] {
                                       FakeRuntime runtime;
                                       runtime.attach();
                                       FakeRuntime::begin(kUpdate, 0, kSite);
                                       FakeRuntime::end(kUpdate, 0, kSite);
                                       runtime.finish();
                                     },
                                     {{"OMPDM_HASH", wrong}});
    EXPECT_EQ(outcome.status, 0);
    EXPECT_NE(outcome.messages.find(std::string("OMPDM_HASH=") + wrong +
                                    ": neither off, full nor a percentage"),
              std::string::npos)
        << outcome.messages;
    EXPECT_EQ(read_back(folder.path() / "trace.json.spool").header.hashing, record::kHashDefault);
  }
}

TEST(ContentSampling, SmallTransfersAreExaminedInRunsThatGrowRarer) {
  const Buffer buffer = numbers(64);
  const auto body = [&] {
    for (int i = 0; i < 2000; ++i) {
      update_to(buffer);
    }
  };
  const Recorded recorded = record(body, {{"OMPDM_HASH", "100"}});
  ASSERT_EQ(recorded.trace.ops.size(), 2000U);
  const std::vector<std::size_t> ops = examined(recorded);
  // 16 runs of four, then 8 in each doubling: 16 to 31, …, 256 to 499.
  ASSERT_EQ(ops.size(), (16U + 5 * 8) * 4);
  for (std::size_t i = 0; i < ops.size(); i += 4) {
    EXPECT_EQ(ops[i] % 4, 0U);
    EXPECT_EQ(ops[i + 3], ops[i] + 3);
  }
  EXPECT_EQ(ops.back(), 480U * 4 + 3);
  EXPECT_EQ(examined(record(body, kFull)).size(), 2000U);
}

// What a site shows: runs in which it was hashed, and occurrences, from 1 on, of which all bytes
// were hashed.
struct LookedAt {
  std::set<std::size_t> runs;
  std::set<std::size_t> whole;
};

LookedAt looked_at_runs(const Recorded& recorded) {
  LookedAt hashed;
  const std::vector<std::size_t> ops = examined(recorded);
  for (const std::size_t op : ops) {
    hashed.runs.insert(op / 4);
    if (recorded.trace.ops[op].hash != 0) {
      hashed.whole.insert(op + 1);
    }
  }
  EXPECT_EQ(ops.size(), hashed.runs.size() * 4) << "of a run all or none";
  return hashed;
}

std::set<std::size_t> each(std::size_t apart, std::size_t count) {
  std::set<std::size_t> runs;
  for (std::size_t run = 0; run < count; run += apart) {
    runs.insert(run);
  }
  return runs;
}

// A sanitizer's copies take longer than the net of time allows.
#ifdef OMPDM_SANITIZED
#define OMPDM_SKIP_WHERE_SANITIZED() GTEST_SKIP() << "the net of time would cut what is looked at"
#else
#define OMPDM_SKIP_WHERE_SANITIZED() static_cast<void>(0)
#endif

// 0.01 % of 16 GiB are 1.7 MB, of which each of 100 runs of 64 KiB could have 6.
TEST(ContentSampling, PastTheAdvanceRunsKeepToTheShare) {
  OMPDM_SKIP_WHERE_SANITIZED();
  const Buffer buffer = numbers(64 << 10);
  const auto body = [&] {
    for (std::size_t i = 0; i < 400; ++i) {
      update_to(buffer);
    }
  };
  EXPECT_EQ(looked_at_runs(record(body, kDefault)).runs, each(1, 100)) << "all are advanced";
  const LookedAt few = looked_at_runs(record(body, {{"OMPDM_HASH", "0.01"}}));
  EXPECT_EQ(few.runs, each(1, 7)) << "the next would be number 16,384";
  // 5 % of them: each 32nd; the advance must be spent first, by another site.
  const Recorded shared = record(
      [&] {
        update_to(numbers(64));  // makes the thread buffer
        record::this_thread.buffer->content.hashed.bytes = std::uint64_t{1} << 40U;
        for (std::size_t i = 0; i < 3; ++i) {
          update_to(numbers(64));
        }
        body();
      },
      {{"OMPDM_HASH", "5"}});
  EXPECT_EQ(looked_at_runs(shared).runs, (std::set<std::size_t>{0, 32, 64, 96}));
}

TEST(ContentSampling, LargeTransfersAreFingerprintedAndHashedWholeByTurns) {
  OMPDM_SKIP_WHERE_SANITIZED();
  const Buffer buffer = numbers(1 << 20);
  const auto body = [&] {
    for (std::size_t i = 0; i < 4 * 80; ++i) {
      update_to(buffer);
    }
  };
  const LookedAt hashed = looked_at_runs(record(body, kDefault));
  EXPECT_EQ(hashed.runs, each(1, 80)) << "all are advanced";
  const std::set<std::size_t> spread = {1, 2, 3, 6, 7, 13, 14, 26, 27, 53, 54, 106, 107, 213, 214};
  const auto with_runs = [&](std::size_t apart) {
    std::set<std::size_t> whole = spread;
    for (const std::size_t run : each(apart, 80)) {
      for (std::size_t i = 1; run != 0 && i <= 4; ++i) whole.insert(run * 4 + i);
    }
    return whole;
  };
  EXPECT_EQ(hashed.whole, with_runs(64)) << "3 % of all besides";
  const LookedAt dear = looked_at_runs(record(body, {{"OMPDM_HASH", "25"}}));
  EXPECT_EQ(dear.whole, with_runs(4));
  // Of 16 GiB the least share is too little for one.
  const LookedAt cheap = looked_at_runs(record(body, {{"OMPDM_HASH", "0.005"}}));
  EXPECT_TRUE(cheap.whole.empty());
  EXPECT_TRUE(cheap.runs.contains(0)) << "the first is always looked at";
}

TEST(ContentSampling, ASecondRecordingLooksAtTheSameOccurrences) {
  OMPDM_SKIP_WHERE_SANITIZED();
  const Buffer small = numbers(640);
  const Buffer large = numbers(300 << 10);
  const auto body = [&] {
    for (int i = 0; i < 100; ++i) {
      update_to(small);
      update_to(large, address(0x2000));
    }
  };
  const Environment little = {{"OMPDM_HASH", "0.1"}};
  EXPECT_EQ(examined(record(body, little)), examined(record(body, little)));
}

TEST(ContentSampling, WhatTheNetOfTimeCutsIsALoss) {
  const Buffer buffer = numbers(8000);
  const Recorded recorded = record(
      [&] {
        update_to(buffer);
        record::this_thread.buffer->content.hashed.ticks = std::uint64_t{1} << 60U;
        update_to(buffer);
        FakeRuntime::begin(kUpdate, 0, kSite);
        fetch(buffer);
        FakeRuntime::end(kUpdate, 0, kSite);
      },
      kDefault);
  EXPECT_EQ(examined(recorded), (std::vector<std::size_t>{0}));
  EXPECT_EQ(recorded.loss(spool::Loss::kContentsOverTime), 2U);
}

// A solver that swaps its buffers maps each of them in every second iteration.
TEST(ContentSampling, BuffersThatTakeTurnsHavePairsToo) {
  const Buffer one = numbers(1 << 20, 1);
  const Buffer other = numbers(1 << 20, 2);
  const Recorded recorded = record(
      [&] {
        for (int i = 0; i < 14; ++i) {
          update_to(i % 2 == 0 ? one : other);
        }
      },
      kDefault);
  ASSERT_EQ(examined(recorded).size(), 14U);
  const auto whole_of = [&](std::size_t first) {
    std::vector<std::size_t> whole;
    for (std::size_t i = first; i < 14; i += 2) {
      const std::uint64_t hash = recorded.trace.ops[i].hash;
      if (hash == 0) continue;
      EXPECT_EQ(hash, hash_of(first == 0 ? one : other));
      whole.push_back(i);
    }
    return whole;
  };
  EXPECT_EQ(whole_of(0), (std::vector<std::size_t>{0, 2, 6, 12}));
  EXPECT_EQ(whole_of(1), (std::vector<std::size_t>{1, 5, 13}));
}

// Data that is copied back is hashed where the next sent data is, and where the data sent before
// was.
TEST(ContentSampling, WhatComesBackHasItsPairs) {
  OMPDM_SKIP_WHERE_SANITIZED();
  const Buffer buffer = numbers(1 << 20);
  const Recorded recorded = record(
      [&] {
        for (int i = 0; i < 30; ++i) {
          FakeRuntime::begin(kUpdate, 0, kSite);
          fetch(buffer);
          FakeRuntime::end(kUpdate, 0, kSite);
        }
      },
      kDefault);
  std::set<std::size_t> whole;
  for (std::size_t i = 0; i < recorded.trace.ops.size(); ++i) {
    if (recorded.trace.ops[i].hash != 0) whole.insert(i + 1);
  }
  EXPECT_EQ(whole, (std::set<std::size_t>{1, 2, 6, 13, 26}));
}

// A rectangle is copied row by row; its rows are one occurrence, all hashed or none.
TEST(ContentSampling, TheOperationsOfOneApiCallAreOneOccurrence) {
  constexpr std::size_t kRows = 10;
  const Buffer buffer = numbers(8000);
  const Recorded recorded = record(
      [&] {
        for (std::uint32_t call = 1; call <= 80; ++call) {
          record::this_thread.api_codeptr = kSite;
          record::this_thread.api_entry = spool::Entry::kMemcpyRect;
          record::this_thread.api_call = spool::CallId{call};
          for (std::size_t row = 0; row < kRows; ++row) {
            FakeRuntime::op(2, buffer.data() + row * 100, kHost, kThere, 0, 64, kSite);
          }
        }
      },
      kDefault);
  ASSERT_EQ(recorded.trace.ops.size(), 80 * kRows);
  // 16 runs of four calls, then each second.
  const std::vector<std::size_t> ops = examined(recorded);
  ASSERT_EQ(ops.size(), (64U + 8) * kRows);
  EXPECT_EQ(ops.back(), 76 * kRows - 1);
}

TEST(ContentSampling, AForksChildHasABudgetOfItsOwn) {
  const Folder folder;
  const Buffer buffer = numbers(8000);
  const Outcome outcome = in_child(
      folder,
      [&] {
        FakeRuntime runtime;
        runtime.attach();
        update_to(buffer);
        // All of it and more.
        record::this_thread.buffer->content.hashed.ticks = std::uint64_t{1} << 60U;
        update_to(buffer);
        const pid_t child = fork();
        if (child == 0) {
          update_to(buffer);
          runtime.finish();
          _exit(0);
        }
        waitpid(child, nullptr, 0);
        runtime.finish();
      },
      kDefault);
  EXPECT_EQ(outcome.status, 0);
  std::multiset<std::pair<std::size_t, std::size_t>> counts;  // operations, contents
  for (const std::string& file : folder.files()) {
    const Recorded recorded = read_back(folder.path() / file);
    counts.insert({recorded.trace.ops.size(), examined(recorded).size()});
  }
  EXPECT_EQ(counts, (std::multiset<std::pair<std::size_t, std::size_t>>{{1, 1}, {2, 1}}));
}

TEST(ContentSampling, ThreadsEachLookAtTheirFirst) {
  constexpr int kThreads = 4;
  const Recorded recorded = record(
      [] {
        std::vector<std::thread> threads;
        for (int thread = 0; thread < kThreads; ++thread) {
          threads.emplace_back([thread] {
            const Buffer own = numbers(1 << 20, static_cast<std::uint64_t>(thread) + 1);
            for (int i = 0; i < 100; ++i) {
              update_to(own);
            }
          });
        }
        for (auto& thread : threads) {
          thread.join();
        }
      },
      kDefault);
  EXPECT_EQ(recorded.trace.ops.size(), 400U);
  std::set<std::uint64_t> hashes;
  for (const std::size_t op : examined(recorded)) {
    if (recorded.trace.ops[op].hash != 0) {
      hashes.insert(recorded.trace.ops[op].hash);
    }
  }
  for (int thread = 0; thread < kThreads; ++thread) {
    hashes.erase(hash_of(numbers(1 << 20, static_cast<std::uint64_t>(thread) + 1)));
  }
  EXPECT_TRUE(hashes.empty());
}

TEST(ContentSampling, OfShortRecordsIsTheirsAlone) {
  const Folder folder;
  const Buffer buffer = numbers(4096);
  in_child(
      folder,
      [&] {
        FakeRuntime runtime;
        runtime.attach();
        for (int i = 0; i < 200; ++i) {
          update_to(buffer);
        }
        runtime.finish();
      },
      kDefault);
  const Trace trace = read_spool(folder.path() / "trace.json.spool");
  ASSERT_EQ(trace.ops.size(), 200U);
  ASSERT_EQ(trace.regions.size(), 200U);
  for (std::size_t i = 0; i < 200; ++i) {
    // The first 16 runs of four, then each second.
    const bool taken = i < 64 || (i < 128 ? i / 4 % 2 == 0 : i / 4 % 4 == 0);
    EXPECT_EQ(trace.ops[i].fingerprint, taken ? hash_of(buffer) : 0) << i;
    EXPECT_EQ(trace.regions[i].hashing > 0, taken)
        << i << ' ' << trace.regions[i].hashing << ' ' << trace.ops[i].begin << ' '
        << trace.regions[i].begin << ' ' << trace.regions[i].end;
  }
}

}  // namespace
}  // namespace ompdm::test::content_sampling_test
