#include "one_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "ompdm/error.h"

namespace ompdm::cli {
namespace {

/// "trace.json" of "trace.~1~.json"; nothing of other names.
std::optional<std::string> newest_name(const std::string& name) {
  const std::size_t file = name.rfind('/') + 1;
  const std::size_t begin = name.find(".~", file);
  if (begin == std::string::npos) return std::nullopt;
  std::size_t end = begin + 2;
  while (end < name.size() && std::isdigit(static_cast<unsigned char>(name[end])) != 0) ++end;
  if (end == begin + 2 || end >= name.size() || name[end] != '~') return std::nullopt;
  return name.substr(0, begin) + name.substr(end + 1);
}

/// Ranks of one job run at the same time. Clocks of two machines may differ.
void doubt_what_ran_apart(const std::vector<OneRecording>& recordings) {
  const auto end = [](const Process& process) { return process.start_realtime_ns + process.wall; };
  std::map<std::string, std::pair<const OneRecording*, const OneRecording*>>
      hosts;  // first end, last begin
  for (const OneRecording& one : recordings) {
    if (one.process.rank < 0) continue;
    auto& [ended, begun] = hosts.try_emplace(one.process.host, &one, &one).first->second;
    if (end(one.process) < end(ended->process)) ended = &one;
    if (one.process.start_realtime_ns > begun->process.start_realtime_ns) begun = &one;
  }
  for (const auto& [host, apart] : hosts) {
    const auto& [ended, begun] = apart;
    if (end(ended->process) >= begun->process.start_realtime_ns) continue;
    fmt::print(stderr, "ompdm: {} had ended before {} began: are they of one run?\n", ended->file,
               begun->file);
  }
}

/// Says which ranks of their job are not among several recordings.
void tell_missing_ranks(const std::vector<OneRecording>& recordings) {
  if (recordings.size() < 2) return;
  std::set<std::int32_t> missing;
  for (const OneRecording& one : recordings) {
    if (one.process.rank < 0) return;
    for (std::int32_t rank = 0; rank < one.process.rank_count; ++rank) missing.insert(rank);
  }
  for (const OneRecording& one : recordings) missing.erase(one.process.rank);
  constexpr std::size_t kMostTold = 8;
  if (missing.empty()) return;
  const std::vector<std::int32_t> told(
      missing.begin(), std::next(missing.begin(), std::min(missing.size(), kMostTold)));
  fmt::print(stderr, "ompdm: of this job's {} ranks {} {} not among these: {}{}\n",
             recordings.front().process.rank_count, missing.size(),
             missing.size() == 1 ? "is" : "are", fmt::join(told, ", "),
             missing.size() > kMostTold ? ", …" : "");
}

/// A rank may be a script that runs several programs, or one that starts others.
bool are_of_one_rank(const Process& one, const Process& other) {
  if (!one.session.empty() && one.session == other.session) return true;
  const bool same_group = one.process_group != 0 && one.process_group == other.process_group;
  return one.host == other.host && (one.ppid == other.ppid || same_group);
}

[[noreturn]] void refuse(const OneRecording& one, const OneRecording& other, std::string_view why) {
  throw Error(
      fmt::format("{} and {}: {}: name the traces of one run, say `--as inputs` of runs "
                  "on several inputs, or `ompdm compare` two",
                  one.file, other.file, why));
}

}  // namespace

int rank_in_name(const std::string& name) {
  constexpr std::string_view kMark = ".rank";
  const std::size_t mark = name.rfind(kMark);
  if (mark == std::string::npos) return -1;
  int rank = 0;
  std::size_t at = mark + kMark.size();
  const std::size_t begin = at;
  for (; at < name.size() && std::isdigit(static_cast<unsigned char>(name[at])) != 0; ++at) {
    rank = 10 * rank + (name[at] - '0');
    if (at - begin > 8) return -1;
  }
  const bool ends = at == name.size() || name[at] == '.';
  return at == begin || !ends ? -1 : rank;
}

std::vector<std::string> without_older_runs(const std::vector<std::string>& names) {
  const std::set<std::string> named(names.begin(), names.end());
  std::vector<std::string> newest;
  for (const std::string& name : names) {
    const std::optional<std::string> newer = newest_name(name);
    if (newer && named.contains(*newer)) {
      fmt::print(stderr, "ompdm: {}: left out: it is an older run than {}\n", name, *newer);
    } else {
      newest.push_back(name);
    }
  }
  return newest;
}

void check_apart(const std::vector<OneRecording>& recordings) {
  std::map<std::tuple<std::string, std::uint32_t, std::int64_t>, const OneRecording*> processes;
  for (const OneRecording& one : recordings) {
    const Process& process = one.process;
    const auto same =
        processes.emplace(std::tuple(process.host, process.pid, process.start_realtime_ns), &one);
    if (!same.second && process.pid != 0) {
      throw Error(fmt::format("{} and {} are the same recording: name it once",
                              same.first->second->file, one.file));
    }
  }
}

void check_ranks(const std::vector<OneRecording>& recordings) {
  std::map<std::int32_t, const OneRecording*> ranks;
  const OneRecording* of_a_job = nullptr;
  for (const OneRecording& one : recordings) {
    const Process& process = one.process;
    if (process.rank < 0) continue;
    const bool other_size = of_a_job != nullptr && process.rank_count > 0 &&
                            of_a_job->process.rank_count != process.rank_count;
    if (other_size) {
      refuse(*of_a_job, one,
             fmt::format("are of runs of {} and of {} ranks", of_a_job->process.rank_count,
                         process.rank_count));
    }
    if (process.rank_count > 0) of_a_job = &one;
    const auto [other, is_new] = ranks.emplace(process.rank, &one);
    if (is_new) continue;
    if (!are_of_one_rank(other->second->process, process)) {
      refuse(*other->second, one, fmt::format("are both rank {}, of different runs", process.rank));
    }
  }
}

void check_one_run(const std::vector<OneRecording>& recordings) {
  check_ranks(recordings);
  doubt_what_ran_apart(recordings);
  tell_missing_ranks(recordings);
}

std::vector<std::size_t> rank_order(const std::vector<OneRecording>& recordings) {
  std::vector<std::size_t> order(recordings.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t at) {
    return std::pair(std::max(recordings[at].process.rank, -1), at);
  });
  return order;
}

}  // namespace ompdm::cli
