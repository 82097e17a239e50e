#include "ompdm/one_clock.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace ompdm {
namespace {

using State = RealtimeClock::State;

// Files may say anything; these are 73 and 36 years, and no sum of them overflows.
constexpr std::int64_t kLatest = std::int64_t{1} << 61;
constexpr std::int64_t kLongestUp = std::int64_t{1} << 60;

std::int64_t realtime_of(const Process& process) {
  return std::clamp(process.start_realtime_ns, std::int64_t{0}, kLatest);
}

std::int64_t monotonic_of(const Process& process) {
  return std::clamp(process.start_monotonic_ns, std::int64_t{0}, kLongestUp);
}

bool tells_boot(const Process& process) {
  return !process.boot_id.empty() && process.start_monotonic_ns > 0;
}

// Two time namespaces of one boot have each its own CLOCK_MONOTONIC.
using Boot = std::tuple<std::string, std::uint64_t, std::string>;

Boot boot_of(const Process& process) {
  if (tells_boot(process)) return {process.boot_id, process.time_namespace, ""};
  return {"", 0, process.host};
}

std::vector<ClockGroup> groups_of(std::span<const Process> processes) {
  std::vector<ClockGroup> groups;
  std::map<Boot, std::size_t> known;
  for (std::size_t i = 0; i < processes.size(); ++i) {
    const auto [at, is_new] = known.emplace(boot_of(processes[i]), groups.size());
    if (is_new) groups.emplace_back().boot_is_known = tells_boot(processes[i]);
    groups[at->second].processes.push_back(i);
  }
  return groups;
}

// The process at whose start the host's clock was least off, as far as it is known; of processes
// that are not tied to each other the one at whose start it was off most.
const Process& tie_of(const ClockGroup& group, std::span<const Process> processes) {
  const auto doubt = [&](std::size_t at) {
    const RealtimeClock& clock = processes[at].realtime;
    const int state = clock.state == State::kSynchronized     ? 0
                      : clock.state == State::kUnsynchronized ? 1
                                                              : 2;
    return std::pair(state, clock.max_error);
  };
  return processes[group.boot_is_known ? *std::ranges::min_element(group.processes, {}, doubt)
                                       : *std::ranges::max_element(group.processes, {}, doubt)];
}

// Those two processes may be farthest apart whose clocks may be off most.
Nanoseconds sum_of_largest_two(const std::vector<ClockGroup>& groups) {
  Nanoseconds most = 0;
  Nanoseconds second = 0;
  const auto add = [&](Nanoseconds error) {
    second = std::max(second, std::min(most, error));
    most = std::max(most, error);
  };
  for (const ClockGroup& group : groups) {
    const Nanoseconds error = std::clamp(group.realtime.max_error, Nanoseconds{0}, kLongestUp);
    add(error);
    if (!group.boot_is_known && group.processes.size() > 1) add(error);
  }
  // Kernels tell whole microseconds.
  constexpr Nanoseconds kFinest = 1000;
  return std::max(most + second, kFinest);
}

void tell_agreement(OneClock& clock) {
  const auto& groups = clock.groups;
  const auto has = [&](State state) {
    return std::ranges::any_of(
        groups, [&](const ClockGroup& group) { return group.realtime.state == state; });
  };
  const bool is_one = groups.size() <= 1 && (clock.offsets.size() <= 1 || groups[0].boot_is_known);
  clock.agreement = is_one                        ? Agreement::kOneClock
                    : has(State::kUnsynchronized) ? Agreement::kUnsynchronized
                    : has(State::kUnknown)        ? Agreement::kUnknown
                                                  : Agreement::kWithin;
  clock.within = clock.agreement == Agreement::kWithin ? sum_of_largest_two(groups) : 0;
}

}  // namespace

OneClock one_clock(std::span<const Process> processes) {
  OneClock clock;
  clock.groups = groups_of(processes);
  clock.offsets.resize(processes.size());
  for (ClockGroup& group : clock.groups) {
    const Process& tie = tie_of(group, processes);
    group.realtime = tie.realtime;
    const std::int64_t boot = realtime_of(tie) - monotonic_of(tie);
    for (const std::size_t at : group.processes) {
      const Process& process = processes[at];
      clock.offsets[at] = group.boot_is_known ? boot + monotonic_of(process) : realtime_of(process);
    }
  }
  if (processes.empty()) return clock;
  clock.begin_realtime_ns = *std::ranges::min_element(clock.offsets);
  for (Nanoseconds& offset : clock.offsets) offset -= clock.begin_realtime_ns;
  tell_agreement(clock);
  return clock;
}

OneClock only(const OneClock& all, std::span<const std::size_t> chosen) {
  OneClock clock;
  clock.begin_realtime_ns = all.begin_realtime_ns;
  std::map<std::size_t, std::size_t> places;
  for (const std::size_t at : chosen) {
    places.emplace(at, clock.offsets.size());
    clock.offsets.push_back(all.offsets[at]);
  }
  for (ClockGroup group : all.groups) {
    std::vector<std::size_t> kept;
    for (const std::size_t at : group.processes) {
      if (const auto place = places.find(at); place != places.end()) kept.push_back(place->second);
    }
    group.processes = std::move(kept);
    std::ranges::sort(group.processes);
    if (!group.processes.empty()) clock.groups.push_back(std::move(group));
  }
  tell_agreement(clock);
  return clock;
}

}  // namespace ompdm
