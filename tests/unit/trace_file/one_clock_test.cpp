// Processes on one clock: of one boot exactly, of several as surely as their kernels say.
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "ompdm/timeline.h"

namespace ompdm::one_clock_test {
namespace {

using State = RealtimeClock::State;

constexpr std::int64_t kEpoch = 1'760'000'000'000'000'000;
constexpr std::int64_t kSecond = 1'000'000'000;
constexpr Nanoseconds kMicrosecond = 1000;

RealtimeClock within(Nanoseconds error) { return {State::kSynchronized, error, error / 2}; }

/// Started `monotonic` after the boot, by the host's clock at kEpoch + `realtime`.
Process process(const std::string& boot, std::int64_t monotonic, std::int64_t realtime,
                const RealtimeClock& clock = within(500 * kMicrosecond)) {
  Process made;
  made.host = "host of " + boot;
  made.boot_id = boot;
  made.time_namespace = 7;
  made.start_monotonic_ns = monotonic;
  made.start_realtime_ns = kEpoch + realtime;
  made.realtime = clock;
  return made;
}

/// As an older ompdm left it.
Process older(std::int64_t realtime) {
  Process made;
  made.host = "old";
  made.start_realtime_ns = kEpoch + realtime;
  return made;
}

using Offsets = std::vector<Nanoseconds>;

// CLOCK_REALTIME was set in between: it says that the second was first.
TEST(OneClock, ProcessesOfOneBootAreAlignedByTheMonotonicClock) {
  const OneClock clock = one_clock(
      std::vector{process("a", 5 * kSecond, 900 * kSecond), process("a", 8 * kSecond, 0)});
  EXPECT_EQ(clock.offsets, (Offsets{0, 3 * kSecond}));
  EXPECT_EQ(clock.agreement, Agreement::kOneClock);
  EXPECT_EQ(clock.within, 0);
  ASSERT_EQ(clock.groups.size(), 1U);
  EXPECT_TRUE(clock.groups[0].boot_is_known);
}

TEST(OneClock, BootsAreAlignedByTheRealtimeClockOfTheirLeastDoubtfulProcess) {
  const OneClock clock = one_clock(std::vector{
      process("a", 100 * kSecond, 7, within(900 * kMicrosecond)),
      process("b", 5 * kSecond, 2 * kSecond, within(700 * kMicrosecond)),
      // By this one's start the first began at kEpoch + 10.
      process("a", 101 * kSecond, kSecond + 10, within(500 * kMicrosecond)),
      process("a", 102 * kSecond, kSecond, {State::kUnsynchronized, 0, 0}),
      process("a", 103 * kSecond, kSecond, {}),
  });
  EXPECT_EQ(clock.begin_realtime_ns, kEpoch + 10);
  EXPECT_EQ(clock.offsets, (Offsets{0, 2 * kSecond - 10, kSecond, 2 * kSecond, 3 * kSecond}));
  EXPECT_EQ(clock.agreement, Agreement::kWithin);
  EXPECT_EQ(clock.within, 1200 * kMicrosecond);
  ASSERT_EQ(clock.groups.size(), 2U);
  EXPECT_EQ(clock.groups[0].processes, (std::vector<std::size_t>{0, 2, 3, 4}));
  EXPECT_EQ(clock.groups[0].realtime, within(500 * kMicrosecond));
}

TEST(OneClock, OfManyHostsTheTwoThatMayBeOffMostCount) {
  std::vector<Process> processes;
  for (const Nanoseconds error : {300, 100, 800, 200}) {
    processes.push_back(process(std::to_string(error), kSecond, 0, within(error * kMicrosecond)));
  }
  EXPECT_EQ(one_clock(processes).within, 1100 * kMicrosecond);
  for (Process& one : processes) one.realtime.max_error = 0;
  EXPECT_EQ(one_clock(processes).within, kMicrosecond) << "kernels tell no less";
}

TEST(OneClock, AClockThatIsNotSynchronizedIsSaidBeforeOneThatIsNotKnown) {
  std::vector<Process> processes{process("a", kSecond, 0), process("b", kSecond, 0, {})};
  EXPECT_EQ(one_clock(processes).agreement, Agreement::kUnknown);
  processes.push_back(process("c", kSecond, 0, {State::kUnsynchronized, 16 * kSecond, 0}));
  EXPECT_EQ(one_clock(processes).agreement, Agreement::kUnsynchronized);
  EXPECT_EQ(one_clock(processes).within, 0);
}

TEST(OneClock, OlderTracesAreAlignedByTheRealtimeClock) {
  const std::vector<Process> processes{older(30), older(10), process("a", kSecond, 40)};
  const OneClock clock = one_clock(processes);
  EXPECT_EQ(clock.offsets, (Offsets{20, 0, 30}));
  EXPECT_EQ(clock.agreement, Agreement::kUnknown);
  EXPECT_EQ(clock.groups.size(), 2U);
  // Not even of one host is it known that all are of one boot.
  EXPECT_EQ(one_clock(std::vector{older(30), older(10)}).agreement, Agreement::kUnknown);
  EXPECT_EQ(one_clock(std::vector{older(30)}).agreement, Agreement::kOneClock);
}

TEST(OneClock, TimeNamespacesHaveClocksOfTheirOwn) {
  std::vector<Process> processes{process("a", kSecond, 5), process("a", 900 * kSecond, 8)};
  processes[1].time_namespace = 8;
  const OneClock clock = one_clock(processes);
  EXPECT_EQ(clock.offsets, (Offsets{0, 3}));
  EXPECT_EQ(clock.agreement, Agreement::kWithin);
}

TEST(OneClock, OfTheChosenAloneItIsSaidHowFarTheyAgree) {
  const OneClock all = one_clock(std::vector{process("a", kSecond, 0), process("b", kSecond, 50),
                                             process("a", kSecond + 90, 90)});
  const OneClock both = only(all, std::vector<std::size_t>{2, 1});
  EXPECT_EQ(both.offsets, (Offsets{90, 50}));
  EXPECT_EQ(both.begin_realtime_ns, all.begin_realtime_ns);
  EXPECT_EQ(both.agreement, Agreement::kWithin);
  EXPECT_EQ(both.groups[0].processes, (std::vector<std::size_t>{0}));
  EXPECT_EQ(both.groups[1].processes, (std::vector<std::size_t>{1}));
  const OneClock one = only(all, std::vector<std::size_t>{0, 2});
  EXPECT_EQ(one.offsets, (Offsets{0, 90}));
  EXPECT_EQ(one.agreement, Agreement::kOneClock);
}

TEST(OneClock, WhatFilesSayDoesNotOverflow) {
  constexpr auto kLeast = std::numeric_limits<std::int64_t>::min();
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  std::vector<Process> processes;
  for (const std::int64_t realtime : {kLeast, kMost}) {
    for (const std::int64_t monotonic : {kLeast, kMost}) {
      Process one = process("a" + std::to_string(processes.size()), monotonic, 0, within(kMost));
      one.start_realtime_ns = realtime;
      processes.push_back(one);
    }
  }
  for (const Nanoseconds offset : one_clock(processes).offsets) {
    EXPECT_GE(offset, 0);
    EXPECT_LE(offset, Nanoseconds{1} << 62);
  }
}

}  // namespace
}  // namespace ompdm::one_clock_test
