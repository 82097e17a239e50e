// Which contents of transfers are examined, when, and what is written of them.

#include "record/content.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <map>
#include <set>
#include <thread>
#include <vector>

#include "ompdm/finish.h"
#include "record/budget.h"
#include "record/lane.h"
#include "record/recording.h"

namespace ompdm::test {
namespace {

constexpr int kTarget = 1;
constexpr int kUpdate = 4;
const void* const kSite = address(0x1000);
const void* const kThere = address(0x9000);
using Environment = std::map<std::string, std::string>;
const Environment kDefault = {{"OMPDM_HASH", ""}};
const Environment kFull = {{"OMPDM_HASH", "full"}};
using Buffer = std::vector<std::uint64_t>;

std::size_t bytes_of(const Buffer& buffer) { return buffer.size() * sizeof(buffer[0]); }
std::uint64_t hash_of(const Buffer& buffer) { return XXH3_64bits(buffer.data(), bytes_of(buffer)); }

Buffer numbers(std::size_t bytes, std::uint64_t first = 1) {
  Buffer buffer(bytes / sizeof(std::uint64_t));
  for (auto& number : buffer) {
    number = first++;
  }
  return buffer;
}

void send(const Buffer& buffer, int device = 0, const void* codeptr = kSite) {
  FakeRuntime::op(2, buffer.data(), kHost, kThere, device, bytes_of(buffer), codeptr);
}

void fetch(const Buffer& buffer, int device = 0, const void* codeptr = kSite) {
  FakeRuntime::op(3, kThere, device, buffer.data(), kHost, bytes_of(buffer), codeptr);
}

void update_to(const Buffer& buffer, const void* codeptr = kSite) {
  FakeRuntime::begin(kUpdate, 0, codeptr);
  send(buffer, 0, codeptr);
  FakeRuntime::end(kUpdate, 0, codeptr);
}

// What a wrapper would have seen of the region that begins next.
void call_of(spool::Entry entry, const void* codeptr) {
  static record::Call call;
  call = {};
  call.codeptr = codeptr;
  call.entry = entry;
  record::this_thread.call = &call;
}

std::vector<std::size_t> examined(const Records& records) {
  std::vector<std::size_t> ops;
  for (const ContentOf& each : records.contents) {
    ops.push_back(each.op);
  }
  return ops;
}

TEST(Content, OfATransferToADeviceIsTakenBeforeItBegins) {
  Buffer buffer = numbers(80'000);
  const std::uint64_t sent = hash_of(buffer);
  const Records records = record(
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
  ASSERT_EQ(records.contents.size(), 1U);
  const auto& [content, op] = records.contents[0];
  EXPECT_EQ(op, 0U);
  EXPECT_EQ(content.hash, sent);
  EXPECT_EQ(content.fingerprint, sent);
  EXPECT_EQ(content.head.flags, 0);
  // The time it took lies inside the region and outside the operation.
  EXPECT_GT(content.ticks, 0U);
  EXPECT_GE(records.ops[0].begin - records.regions[0].begin, content.ticks);
  EXPECT_EQ(records.header.hashing, record::kHashDefault);
}

TEST(Content, FromADeviceIsTakenOnceItsRegionHasEnded) {
  Buffer first = numbers(80'000);
  Buffer second = numbers(8'000, 5);
  Records records{};
  const auto body = [&] {
    FakeRuntime::begin(kTarget, 0, kSite);
    fetch(first);
    fetch(second);
    first[7] = 99;  // an asynchronous copy may arrive until now
    FakeRuntime::op(4, kThere, 0, nullptr, -1, 0, kSite);
    FakeRuntime::end(kTarget, 0, kSite);
    first[7] = 100;
  };
  records = record(body, kDefault);
  first[7] = 99;
  ASSERT_EQ(records.contents.size(), 2U);
  EXPECT_EQ(examined(records), (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(records.contents[0].content.hash, hash_of(first));
  EXPECT_EQ(records.contents[1].content.hash, hash_of(second));
  EXPECT_EQ(records.contents[0].content.head.flags, spool::kContentAfter);
}

TEST(Content, OffTakesNone) {
  const Buffer buffer = numbers(80'000);
  for (const char* off : {"off", "0", "0.0%"}) {
    const Records records = record([&] { update_to(buffer); }, {{"OMPDM_HASH", off}});
    EXPECT_EQ(records.ops.size(), 1U);
    EXPECT_TRUE(records.contents.empty());
    EXPECT_EQ(records.header.hashing, record::kHashNothing);
  }
}

TEST(Content, SharesAreReadAndOthersSaid) {
  const std::map<std::string, std::uint32_t> shares = {{"3", 30'000},
                                                       {"0.5", 5'000},
                                                       {"12.25%", 122'500},
                                                       {"100", 1'000'000},
                                                       {"full", record::kHashEverything}};
  for (const auto& [text, share] : shares) {
    const Records records = record([] { update_to({}); }, {{"OMPDM_HASH", text}});
    EXPECT_EQ(records.header.hashing, share) << text;
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
    EXPECT_EQ(read_records(folder.path() / "trace.json.spool").header.hashing,
              record::kHashDefault);
  }
}

TEST(Content, OneValueThroughoutIsMarked) {
  const Buffer zeros(1000, 0);
  const Buffer others = numbers(8000);
  const Records records = record(
      [&] {
        update_to(zeros);
        update_to(others);
      },
      kDefault);
  ASSERT_EQ(records.contents.size(), 2U);
  EXPECT_EQ(records.contents[0].content.head.flags, spool::kContentTrivial);
  EXPECT_EQ(records.contents[1].content.head.flags, 0);
}

TEST(Content, SmallTransfersAreExaminedInRunsThatGrowRarer) {
  const Buffer buffer = numbers(64);
  const auto body = [&] {
    for (int i = 0; i < 2000; ++i) {
      update_to(buffer);
    }
  };
  const Records records = record(body, {{"OMPDM_HASH", "100"}});
  ASSERT_EQ(records.ops.size(), 2000U);
  const std::vector<std::size_t> ops = examined(records);
  // 16 runs of four, then 8 in each doubling: 16 to 31, …, 256 to 499.
  ASSERT_EQ(ops.size(), (16U + 5 * 8) * 4);
  for (std::size_t i = 0; i < ops.size(); i += 4) {
    EXPECT_EQ(ops[i] % 4, 0U);
    EXPECT_EQ(ops[i + 3], ops[i] + 3);
  }
  EXPECT_EQ(ops.back(), 480U * 4 + 3);

  EXPECT_EQ(record(body, kFull).contents.size(), 2000U);
}

// Bytes enough for the budget to run out, at a site whose transfers are hashed whole by turns.
TEST(Content, PastTheBudgetConsecutiveOccurrencesAreHashedWhole) {
  constexpr std::size_t kCount = 60;
  const Buffer buffer = numbers(64 << 20);
  const Records records = record(
      [&] {
        for (std::size_t i = 0; i < kCount; ++i) {
          update_to(buffer);
        }
      },
      kDefault);
  std::vector<std::size_t> whole;
  for (const auto& [content, op] : records.contents) {
    if (content.hash != 0) {
      EXPECT_EQ(content.hash, hash_of(buffer));
      whole.push_back(op);
    }
  }
  ASSERT_GE(whole.size(), 2U);
  EXPECT_LT(whole.size(), kCount);
  for (std::size_t i = 0; i + 1 < whole.size(); i += 2) {
    EXPECT_EQ(whole[i + 1], whole[i] + 1);
  }
}

// A solver that swaps its buffers maps each of them at every second pass.
TEST(Content, BuffersThatTakeTurnsHavePairsToo) {
  const Buffer one = numbers(1 << 20, 1);
  const Buffer other = numbers(1 << 20, 2);
  const Records records = record(
      [&] {
        for (int i = 0; i < 4; ++i) {
          update_to(i % 2 == 0 ? one : other);
        }
      },
      kDefault);
  ASSERT_EQ(examined(records), (std::vector<std::size_t>{0, 1, 2, 3}));
  EXPECT_EQ(records.contents[0].content.hash, hash_of(one));
  EXPECT_EQ(records.contents[1].content.hash, hash_of(other));
  EXPECT_EQ(records.contents[2].content.hash, hash_of(one));
  EXPECT_EQ(records.contents[3].content.hash, hash_of(other));
}

// A rectangle is copied row by row; its rows are one occurrence, all looked at or none.
TEST(Content, TheOperationsOfOneApiCallAreOneOccurrence) {
  constexpr std::size_t kRows = 10;
  const Buffer buffer = numbers(8000);
  const Records records = record(
      [&] {
        for (std::uint32_t call = 1; call <= 80; ++call) {
          record::this_thread.api_codeptr = kSite;
          record::this_thread.api_entry = spool::Entry::kMemcpyRect;
          record::this_thread.api_call = call;
          for (std::size_t row = 0; row < kRows; ++row) {
            FakeRuntime::op(2, buffer.data() + row * 100, kHost, kThere, 0, 64, kSite);
          }
        }
      },
      kDefault);
  ASSERT_EQ(records.ops.size(), 80 * kRows);
  // 16 runs of four calls, then each second.
  ASSERT_EQ(records.contents.size(), (64U + 8) * kRows);
  EXPECT_EQ(records.contents.back().op, 76 * kRows - 1);
}

TEST(Content, MoreThanCanWaitForARegionIsALoss) {
  const Buffer buffer = numbers(64'000);
  const Records records = record(
      [&] {
        FakeRuntime::begin(kTarget, 0, kSite);
        for (std::size_t i = 0; i < 40; ++i) {
          FakeRuntime::op(3, kThere, 0, buffer.data() + i, kHost, 800, kSite);
        }
        FakeRuntime::end(kTarget, 0, kSite);
      },
      kFull);
  ASSERT_EQ(records.ops.size(), 40U);
  ASSERT_EQ(records.contents.size(), 32U);
  for (std::size_t i = 0; i < 32; ++i) {
    EXPECT_EQ(records.contents[i].op, i);
    EXPECT_EQ(records.contents[i].content.hash, XXH3_64bits(buffer.data() + i, 800));
  }
  EXPECT_EQ(records.loss(spool::Loss::kContentsPendingOverflow), 8U);
}

TEST(Content, WithoutKnownCompletionItIsNotTakenAndCounted) {
  const Buffer buffer = numbers(8000);
  const Records records = record(
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
  ASSERT_EQ(records.ops.size(), 10U);
  EXPECT_EQ(examined(records), (std::vector<std::size_t>{0, 1, 2, 4, 6, 8, 9}));
  EXPECT_EQ(records.loss(spool::Loss::kContentsUnknownCompletion), 3U);
}

// Between devices, whatever the runtime calls it, and before any device is known: no address here
// can be read.
TEST(Content, OnlyWhatIsSurelyTheHostsIsRead) {
  const Records records = record(
      [] {
        FakeRuntime::begin(kTarget, 0, kSite);
        for (const int optype : {2, 3}) {
          FakeRuntime::op(optype, address(0x5000), 0, address(0x6000), 1, 800, kSite);
          FakeRuntime::op(optype, address(0x5000), kHost, address(0x6000), kHost, 800, kSite);
          FakeRuntime::op(optype, address(0x5000), -1, address(0x6000), 1, 800, kSite);
          FakeRuntime::op(optype, address(0x5000), 0, address(0x6000), -1, 800, kSite);
          FakeRuntime::op(optype, address(0x5000), kHost, address(0x6000), 100, 800, kSite);
          FakeRuntime::op(optype, address(0x5000), kHost, address(0x6000), 0, 0, kSite);
        }
        FakeRuntime::op(1, address(0x5000), kHost, address(0x6000), 0, 800, kSite);
        FakeRuntime::end(kTarget, 0, kSite);
      },
      kFull);
  EXPECT_EQ(records.ops.size(), 13U);
  EXPECT_TRUE(records.contents.empty());
}

TEST(Content, OfARegionThatNeverEndsIsCounted) {
  const Buffer buffer = numbers(8000);
  const Records records = record(
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
  EXPECT_TRUE(records.contents.empty());
  EXPECT_EQ(records.loss(spool::Loss::kContentsUnknownCompletion), 1U);
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
  const Records records = read_records(folder.path() / "trace.json.spool");
  EXPECT_EQ(records.ops.size(), 3U);
  EXPECT_EQ(examined(records), (std::vector<std::size_t>{0, 1}));
}

TEST(Content, AForksChildHasABudgetOfItsOwn) {
  const Folder folder;
  const Buffer buffer = numbers(8000);
  const Outcome outcome = in_child(
      folder,
      [&] {
        FakeRuntime runtime;
        runtime.attach();
        update_to(buffer);
        record::budget.charge(std::uint64_t{1} << 60U);  // all of it and more
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
    const Records records = read_records(folder.path() / file);
    counts.insert({records.ops.size(), records.contents.size()});
  }
  EXPECT_EQ(counts, (std::multiset<std::pair<std::size_t, std::size_t>>{{1, 1}, {2, 1}}));
}

TEST(Content, ThreadsShareTheBudget) {
  constexpr int kThreads = 4;
  const Records records = record(
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
  EXPECT_EQ(records.ops.size(), 400U);
  std::set<std::uint64_t> hashes;
  for (const auto& [content, op] : records.contents) {
    EXPECT_NE(content.fingerprint, 0U);
    if (content.hash != 0) {
      hashes.insert(content.hash);
    }
  }
  for (int thread = 0; thread < kThreads; ++thread) {
    hashes.erase(hash_of(numbers(1 << 20, static_cast<std::uint64_t>(thread) + 1)));
  }
  EXPECT_TRUE(hashes.empty());
}

TEST(Content, OfShortRecordsIsTheirsAlone) {
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
}  // namespace ompdm::test
