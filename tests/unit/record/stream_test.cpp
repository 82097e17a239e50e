// The reader gets what was written, whatever happens. Random streams of regions, operations and
// launches are each compared with the reader's result. And how few bytes they take.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

#include "record/recording.h"
#include "spool_reader/draft.h"

namespace ompdm::test::stream_test {
namespace {

struct Step {
  enum class Kind : std::uint8_t { kBegin, kEnd, kOp, kSubmit };
  Kind kind = Kind::kOp;
  int type = 0;
  int device = 0;
  std::uint64_t codeptr = 0;
  std::uint64_t src = 0;
  std::uint64_t dst = 0;
  std::size_t bytes = 0;
  unsigned teams = 0;
  int depth = 0;  ///< regions that are open before it
};

/// One region at a time, as LLVM has one place for a thread's. Mostly of a few kinds, as loops are,
/// and anything now and then.
std::vector<Step> random_steps(unsigned seed, int count) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::uint64_t limit) { return random() % limit; };
  const auto any_of_few = [&](std::uint64_t few) {
    if (below(50) == 0) return random();
    return std::uint64_t{0x10000} << below(20) | below(few) << 4U;
  };
  std::vector<Step> steps;
  std::vector<Step> open;
  for (int i = 0; i < count; ++i) {
    Step step;
    step.depth = static_cast<int>(open.size());
    const std::uint64_t what = below(10);
    if (what < 3 && open.empty()) {
      step.kind = Step::Kind::kBegin;
      step.type = 1 + static_cast<int>(below(4));
      step.device = static_cast<int>(below(2));
      step.codeptr = 0x1000 + 16 * (below(100) == 0 ? below(1000) : below(6));
      open.push_back(step);
    } else if (what < 5 && !open.empty()) {
      step = open.back();
      step.kind = Step::Kind::kEnd;
      open.pop_back();
    } else if (what == 5) {
      step.kind = Step::Kind::kSubmit;
      step.teams = below(20) == 0 ? static_cast<unsigned>(random()) : 4;
    } else {
      step.type = 1 + static_cast<int>(below(4));
      step.codeptr = open.empty() ? 0x9000 + 16 * below(3) : open.back().codeptr;
      step.src = any_of_few(3);
      step.dst = any_of_few(3);
      step.bytes = any_of_few(2);
      step.device = static_cast<int>(below(2));
    }
    steps.push_back(step);
  }
  for (; !open.empty(); open.pop_back()) {
    Step step = open.back();
    step.kind = Step::Kind::kEnd;
    steps.push_back(step);
  }
  return steps;
}

void play(const std::vector<Step>& steps) {
  for (const Step& step : steps) {
    switch (step.kind) {
      case Step::Kind::kBegin:
        FakeRuntime::begin(step.type, step.device, address(step.codeptr));
        break;
      case Step::Kind::kEnd:
        FakeRuntime::end(step.type, step.device, address(step.codeptr));
        break;
      case Step::Kind::kOp:
        FakeRuntime::op(step.type, address(step.src), kHost, address(step.dst), step.device,
                        step.bytes, address(step.codeptr));
        break;
      case Step::Kind::kSubmit:
        FakeRuntime::submit(step.teams);
        break;
    }
  }
}

void expect_read(const std::vector<Step>& steps, const Recorded& recorded) {
  std::size_t regions = 0;
  std::size_t ops = 0;
  std::size_t launches = 0;
  Nanoseconds last = 0;
  std::vector<std::uint32_t> open;
  for (const Step& step : steps) {
    const std::uint32_t inner = open.empty() ? Index<Region>::kNone : open.back();
    switch (step.kind) {
      case Step::Kind::kBegin: {
        ASSERT_LT(regions, recorded.trace.regions.size());
        const Region region = recorded.trace.regions[regions];
        EXPECT_EQ(recorded.site_extras[region.site.value].codeptr, step.codeptr);
        EXPECT_EQ(region.device, step.device);
        EXPECT_EQ(recorded.region_extras[regions].kind, step.type);
        EXPECT_GE(region.begin, last);
        last = region.begin;
        open.push_back(static_cast<std::uint32_t>(regions++));
        break;
      }
      case Step::Kind::kEnd: {
        const Region region = recorded.trace.regions[open.back()];
        EXPECT_GE(region.end, last);
        EXPECT_FALSE(region.unfinished);
        last = region.end;
        open.pop_back();
        break;
      }
      case Step::Kind::kOp: {
        ASSERT_LT(ops, recorded.trace.ops.size());
        const DataOp op = recorded.trace.ops[ops];
        EXPECT_EQ(op.region.value, inner);
        EXPECT_EQ(recorded.site_extras[op.site.value].codeptr, step.codeptr);
        EXPECT_EQ(op.src, step.src);
        EXPECT_EQ(op.dst, step.dst);
        EXPECT_EQ(op.bytes, step.bytes);
        EXPECT_EQ(op.src_device, kHost);
        EXPECT_EQ(op.dst_device, step.device);
        EXPECT_EQ(recorded.op_extras[ops].optype, step.type);
        EXPECT_GE(op.begin, last);
        EXPECT_GE(op.end, op.begin);
        last = op.end;
        ++ops;
        break;
      }
      case Step::Kind::kSubmit: {
        ASSERT_LT(launches, recorded.trace.launches.size());
        const Launch launch = recorded.trace.launches[launches++];
        EXPECT_EQ(launch.region.value, inner);
        EXPECT_EQ(launch.requested_teams, step.teams);
        EXPECT_GE(launch.begin, last);
        last = launch.end;
        break;
      }
    }
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_EQ(regions, recorded.trace.regions.size());
  EXPECT_EQ(ops, recorded.trace.ops.size());
  EXPECT_EQ(launches, recorded.trace.launches.size());
}

class Stream : public ::testing::TestWithParam<unsigned> {};

TEST_P(Stream, ComesBackAsItWas) {
  constexpr int kSteps = 30'000;  // of some chunks
  const std::vector<Step> steps = random_steps(GetParam(), kSteps);
  const Recorded recorded = record([&] { play(steps); });
  EXPECT_GT(recorded.chunks, 4U);
  expect_read(steps, recorded);
}

INSTANTIATE_TEST_SUITE_P(, Stream, ::testing::Range(1U, 9U));

/// How often, and how many bytes, of what is alike.
using Sums =
    std::map<std::tuple<char, std::uint64_t, int, int>, std::pair<std::uint64_t, std::uint64_t>>;

std::uint64_t codeptr_of(const Recorded& recorded, Index<Site> site) {
  return site ? recorded.site_extras[site.value].codeptr : 0;
}

Sums sums_of_events(const Recorded& recorded) {
  Sums sums;
  for (std::size_t i = 0; i < recorded.trace.regions.size(); ++i) {
    const Region region = recorded.trace.regions[i];
    if (region.thread >= trace::kFirstSample) continue;
    const int kind = recorded.region_extras[i].kind;
    ++sums[{'r', codeptr_of(recorded, region.site), kind, region.device}].first;
  }
  for (std::size_t i = 0; i < recorded.trace.ops.size(); ++i) {
    const DataOp op = recorded.trace.ops[i];
    if (op.thread >= trace::kFirstSample) continue;
    auto& [count, bytes] =
        sums[{'o', codeptr_of(recorded, op.site), recorded.op_extras[i].optype, op.dst_device}];
    ++count;
    bytes += op.bytes;
  }
  for (const Launch& launch : recorded.trace.launches) {
    if (launch.thread >= trace::kFirstSample) continue;
    ++sums[{'l', codeptr_of(recorded, launch.site), 0, launch.device}].first;
  }
  return sums;
}

void add_counted(const Recorded& recorded, Sums& sums) {
  const auto aggregate_of = [&](std::uint32_t thread) -> const trace::AggregateExtra* {
    if (thread < trace::kFirstSample) return nullptr;
    const trace::AggregateExtra& note = recorded.aggregates[thread - trace::kFirstSample];
    EXPECT_TRUE(note.is_known);
    EXPECT_LE(note.times.least, note.times.most);
    return &note;
  };
  for (std::size_t i = 0; i < recorded.trace.regions.size(); ++i) {
    const Region region = recorded.trace.regions[i];
    const trace::AggregateExtra* note = aggregate_of(region.thread);
    if (note == nullptr || note->of != spool::AggregateOf::kRegion) continue;
    const int kind = recorded.region_extras[i].kind;
    sums[{'r', codeptr_of(recorded, region.site), kind, region.device}].first += note->times.count;
  }
  for (std::size_t i = 0; i < recorded.trace.ops.size(); ++i) {
    const DataOp op = recorded.trace.ops[i];
    const trace::AggregateExtra* note = aggregate_of(op.thread);
    if (note == nullptr) continue;
    EXPECT_EQ(note->of, spool::AggregateOf::kOp);
    auto& [count, bytes] =
        sums[{'o', codeptr_of(recorded, op.site), recorded.op_extras[i].optype, op.dst_device}];
    count += note->times.count;
    bytes += note->bytes;
  }
  for (const Launch& launch : recorded.trace.launches) {
    const trace::AggregateExtra* note = aggregate_of(launch.thread);
    if (note == nullptr) continue;
    EXPECT_EQ(note->of, spool::AggregateOf::kLaunch);
    sums[{'l', codeptr_of(recorded, launch.site), 0, launch.device}].first += note->times.count;
  }
}

/// What regions hold: the fake runtime's submits outside of any are of no region, and always told.
std::vector<Step> counted_steps(unsigned seed) {
  constexpr int kSteps = 30'000;
  std::vector<Step> steps = random_steps(seed, kSteps);
  std::erase_if(
      steps, [](const Step& step) { return step.kind == Step::Kind::kSubmit && step.depth == 0; });
  return steps;
}

class Counted : public ::testing::TestWithParam<unsigned> {};

TEST_P(Counted, AddsUpToWhatWouldHaveBeenTold) {
  const std::vector<Step> steps = counted_steps(GetParam());
  const Recorded told = record([&] { play(steps); });
  const Recorded counted = record([&] { play(steps); }, {{"OMPDM_DETAIL", "tallies"}});
  Sums sums;
  EXPECT_EQ(sums_of_events(counted), sums);
  add_counted(counted, sums);
  EXPECT_EQ(sums, sums_of_events(told));
  EXPECT_EQ(counted.loss(spool::Loss::kRecordsNoSpace), 0U);
  EXPECT_EQ(counted.header.detail, spool::Detail::kNone);
}

TEST_P(Counted, GoesOnWhereTheSpoolIsFull) {
  const std::vector<Step> steps = counted_steps(GetParam());
  const Recorded told = record([&] { play(steps); });
  const Recorded both = record([&] { play(steps); }, {{"OMPDM_MAX_SPOOL", "100K"}});
  Sums sums = sums_of_events(both);
  EXPECT_FALSE(sums.empty());
  EXPECT_LT(both.trace.ops.size(), told.trace.ops.size());
  add_counted(both, sums);
  EXPECT_EQ(sums, sums_of_events(told));
  EXPECT_EQ(both.header.detail, spool::Detail::kSpoolLimit);
  EXPECT_GT(both.header.recorded_to, both.header.attach.ticks);
}

INSTANTIATE_TEST_SUITE_P(, Counted, ::testing::Range(1U, 5U));

/// Bytes that one iteration takes, of many.
double bytes_of_pass(const std::function<void(std::uint64_t)>& pass) {
  const auto size_of = [&](std::uint64_t passes) {
    return static_cast<double>(record([&] {
                                 for (std::uint64_t i = 0; i < passes; ++i) pass(i);
                               }).stream_bytes);
  };
  constexpr std::uint64_t kFew = 200;
  constexpr std::uint64_t kMany = 2200;
  return (size_of(kMany) - size_of(kFew)) / (kMany - kFew);
}

void region_of_one_array(std::uint64_t host, std::uint64_t device) {
  FakeRuntime::begin(1, 0, address(0x1000));
  FakeRuntime::op(1, address(host), kHost, address(device), 0, 8000, address(0x1000));
  FakeRuntime::op(2, address(host), kHost, address(device), 0, 8000, address(0x1000));
  FakeRuntime::submit(0);
  FakeRuntime::op(3, address(device), 0, address(host), kHost, 8000, address(0x1000));
  FakeRuntime::op(4, address(device), 0, nullptr, kHost, 0, address(0x1000));
  FakeRuntime::end(1, 0, address(0x1000));
}

// 48 bytes of its own and 56 of its launch before, 13 a region and 5 an operation now.
TEST(StreamSize, OfARegionThatRepeats) {
  EXPECT_LT(bytes_of_pass([](std::uint64_t) { region_of_one_array(0xa000, 0xd000); }), 60);
}

TEST(StreamSize, OfARegionWhosePointersMove) {
  EXPECT_LT(bytes_of_pass([](std::uint64_t i) {
              region_of_one_array(0x7f00'0000'a000 + 16 * i * 1001, 0x7e00'0000'd000 + i * 4096);
            }),
            120);
}

}  // namespace
}  // namespace ompdm::test::stream_test
