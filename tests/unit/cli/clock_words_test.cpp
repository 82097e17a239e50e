// What is said of how far times agree.
#include <gtest/gtest.h>

#include <vector>

#include "printable.h"

namespace ompdm::cli::clock_words_test {
namespace {

using State = RealtimeClock::State;

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr RealtimeClock kGood{State::kSynchronized, 600'000, 100};
constexpr RealtimeClock kBad{State::kUnsynchronized, 16 * kSecond, 0};

Process rank(std::int32_t rank, const std::string& host, const RealtimeClock& clock = kGood) {
  Process process;
  process.rank = rank;
  process.host = host;
  process.boot_id = "boot of " + host;
  process.start_monotonic_ns = kSecond;
  process.start_realtime_ns = 1'760'000'000 * kSecond;
  process.realtime = clock;
  process.program = "/home/ada/heat";
  process.pid = static_cast<std::uint32_t>(4711 + rank);
  return process;
}

std::string words(const std::vector<Process>& processes) {
  return clock_words(one_clock(processes), processes);
}

std::vector<Process> on_two_nodes(const RealtimeClock& first, const RealtimeClock& second) {
  std::vector<Process> processes;
  for (int i = 0; i < 4; ++i) processes.push_back(rank(i, "node1", first));
  for (int i = 4; i < 8; ++i) processes.push_back(rank(i, "node2", second));
  return processes;
}

TEST(ClockWords, TellHowFarHostsAgree) {
  EXPECT_EQ(words(on_two_nodes(kGood, kGood)),
            "ranks 0-3 of node1 and 4-7 of node2: times agree to ±1.20 ms");
}

TEST(ClockWords, TellWhoseClockIsNotSynchronized) {
  EXPECT_EQ(words(on_two_nodes(kGood, kBad)),
            "ranks 0-3 of node1 and 4-7 of node2: how far times agree is not known: the clock of "
            "node2 is not synchronized");
  EXPECT_EQ(words(on_two_nodes(kBad, kBad)),
            "ranks 0-3 of node1 and 4-7 of node2: how far times agree is not known: the clocks of "
            "node1 and node2 are not synchronized");
}

// A machine that was booted in between, or has time namespaces.
TEST(ClockWords, NameAHostOnce) {
  std::vector<Process> processes{rank(0, "node1", kBad), rank(1, "node1", kBad)};
  processes[1].time_namespace = 8;
  EXPECT_EQ(words(processes),
            "ranks 0 of node1 and 1 of node1: how far times agree is not known: the clock of node1 "
            "is not synchronized");
}

TEST(ClockWords, TellWhichTracesDoNotSay) {
  EXPECT_EQ(words(on_two_nodes({}, kGood)),
            "ranks 0-3 of node1 and 4-7 of node2: how far times agree is not known: the traces of "
            "node1 do not say whether its clock is synchronized");
}

TEST(ClockWords, OfOneBootNothingIsInDoubt) {
  EXPECT_EQ(words({rank(3, "node1", {}), rank(5, "node1", kBad)}),
            "ranks 3,5 of node1: times are of one clock");
  EXPECT_EQ(words({rank(3, "node1", {})}), "rank 3 of node1: times are of one clock");
}

TEST(ClockWords, TellOfOneHost) {
  EXPECT_EQ(clock_words(kGood), "synchronized, at most 600 us off");
  EXPECT_EQ(clock_words(kBad), "not synchronized");
  EXPECT_EQ(clock_words(RealtimeClock()), "");
}

TEST(ClockWords, OfManyHostsTheNumberIsTold) {
  std::vector<Process> processes;
  for (int i = 0; i < 9; ++i) processes.push_back(rank(i, "node" + std::to_string(i), kGood));
  EXPECT_EQ(words(processes), "ranks 0-8 of 9 hosts: times agree to ±1.20 ms");
  for (Process& process : processes) process.realtime = kBad;
  EXPECT_EQ(words(processes),
            "ranks 0-8 of 9 hosts: how far times agree is not known: the clocks of node0, node1, "
            "node2 and 6 others are not synchronized");
}

TEST(ClockWords, ProcessesOfNoJobAreToldByNameAndNumber) {
  std::vector<Process> processes{rank(-1, "vm"), rank(-1, "vm")};
  processes[1].pid = 4712;
  EXPECT_EQ(words(processes), "heat 4710 and heat 4712 of vm: times are of one clock");
  processes.push_back(rank(0, "node1"));
  EXPECT_EQ(words(processes),
            "heat 4710 and heat 4712 of vm and ranks 0 of node1: times agree to ±1.20 ms");
}

}  // namespace
}  // namespace ompdm::cli::clock_words_test
