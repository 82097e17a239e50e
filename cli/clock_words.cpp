#include "clock_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "ompdm/summary.h"
#include "report/units.h"

namespace ompdm::cli {
namespace {

using State = RealtimeClock::State;
using Processes = std::span<const Process>;

constexpr std::size_t kFew = 4;

/// "a, b and c".
std::string listed(std::vector<std::string> words) {
  if (words.size() < 2) return words.empty() ? "" : words.front();
  const std::string last = std::move(words.back());
  words.pop_back();
  return fmt::format("{} and {}", fmt::join(words, ", "), last);
}

/// The first few, and how many others.
std::string listed_briefly(std::vector<std::string> words) {
  if (words.size() > kFew) {
    const std::size_t others = words.size() - kFew + 1;
    words.resize(kFew - 1);
    words.push_back(fmt::format("{} others", others));
  }
  return listed(std::move(words));
}

bool are_ranks(const std::vector<std::size_t>& of, Processes processes) {
  return std::ranges::all_of(of, [&](std::size_t at) { return processes[at].rank >= 0; });
}

/// "0-3"; of processes in no job "heat 4711 and heat 4712".
std::string members(const std::vector<std::size_t>& of, Processes processes) {
  if (are_ranks(of, processes)) {
    summary::RankSet ranks;
    for (const std::size_t at : of) ranks.add(summary::RankSet(processes[at].rank));
    return ranks.text();
  }
  if (of.size() > kFew) return fmt::format("{} processes", of.size());
  std::vector<std::string> names;
  for (const std::size_t at : of) {
    const std::string& program = processes[at].program;
    names.push_back(
        fmt::format("{} {}", program.substr(program.rfind('/') + 1), processes[at].pid));
  }
  return listed(std::move(names));
}

/// Containers of one kernel have names of their own.
std::string host_of(const ClockGroup& group, Processes processes) {
  std::set<std::string> hosts;
  for (const std::size_t at : group.processes) hosts.insert(processes[at].host);
  return listed_briefly({hosts.begin(), hosts.end()});
}

std::string who(const OneClock& clock, Processes processes) {
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < processes.size(); ++i) all.push_back(i);
  const std::string kind = !are_ranks(all, processes) ? "" : all.size() == 1 ? "rank " : "ranks ";
  if (clock.groups.size() > kFew) {
    return fmt::format("{}{} of {} hosts", kind, members(all, processes), clock.groups.size());
  }
  std::vector<std::string> parts;
  for (const ClockGroup& group : clock.groups) {
    const bool is_mixed = kind.empty() && are_ranks(group.processes, processes);
    parts.push_back(fmt::format("{}{} of {}", is_mixed ? "ranks " : "",
                                members(group.processes, processes), host_of(group, processes)));
  }
  return kind + listed(std::move(parts));
}

/// Hosts whose clocks are in that state.
struct Doubtful {
  std::vector<std::string> hosts;
  [[nodiscard]] const char* either(const char* one, const char* many) const {
    return hosts.size() == 1 ? one : many;
  }
};

Doubtful doubtful(State state, const OneClock& clock, Processes processes) {
  Doubtful found;
  for (const ClockGroup& group : clock.groups) {
    std::string host = host_of(group, processes);
    if (group.realtime.state != state || std::ranges::count(found.hosts, host) > 0) continue;
    found.hosts.push_back(std::move(host));
  }
  return found;
}

std::string why_unknown(const OneClock& clock, Processes processes) {
  if (clock.agreement == Agreement::kUnsynchronized) {
    const Doubtful of = doubtful(State::kUnsynchronized, clock, processes);
    return fmt::format("the {} of {} {} not synchronized", of.either("clock", "clocks"),
                       listed_briefly(of.hosts), of.either("is", "are"));
  }
  const Doubtful of = doubtful(State::kUnknown, clock, processes);
  return fmt::format("the traces of {} do not say whether {} synchronized",
                     listed_briefly(of.hosts), of.either("its clock is", "their clocks are"));
}

}  // namespace

std::string clock_words(const OneClock& clock, Processes processes) {
  const std::string all = who(clock, processes);
  switch (clock.agreement) {
    case Agreement::kOneClock:
      return fmt::format("{}: times are of one clock", all);
    case Agreement::kWithin:
      return fmt::format("{}: times agree to ±{}", all, report::spoken_time(clock.within));
    case Agreement::kUnsynchronized:
    case Agreement::kUnknown:
      break;
  }
  return fmt::format("{}: how far times agree is not known: {}", all,
                     why_unknown(clock, processes));
}

std::string clock_words(const RealtimeClock& clock) {
  switch (clock.state) {
    case State::kUnknown:
      break;
    case State::kSynchronized:
      return fmt::format("synchronized, at most {} off", report::spoken_time(clock.max_error));
    case State::kUnsynchronized:
      return "not synchronized";
  }
  return {};
}

}  // namespace ompdm::cli
