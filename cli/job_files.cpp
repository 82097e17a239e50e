#include "job_files.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "named_traces.h"
#include "ompdm/error.h"
#include "ompdm/trace_file.h"
#include "open_trace.h"
#include "printable.h"

namespace ompdm::cli {

namespace {

constexpr std::string_view kSpoolSuffix = ".spool";

std::optional<summary::Source> source_of(const std::string& trace) {
  struct stat file{};
  if (::stat(trace.c_str(), &file) != 0) return std::nullopt;
  constexpr std::int64_t kSecond = 1'000'000'000;
  return summary::Source{static_cast<std::uint64_t>(file.st_size),
                         file.st_mtim.tv_sec * kSecond + file.st_mtim.tv_nsec};
}

/// Under a name of its own first, so that nobody reads half of it. Never through a link.
bool write(const summary::Summary& one, const std::string& name) {
  const std::string temporary = fmt::format("{}.tmp-{}", name, ::getpid());
  std::FILE* file = std::fopen(temporary.c_str(), "wxe");
  if (file == nullptr) return false;
  const std::string json = summary::to_json(one);
  const bool written = std::fwrite(json.data(), 1, json.size(), file) == json.size();
  const bool closed = std::fclose(file) == 0;
  if (written && closed && std::rename(temporary.c_str(), name.c_str()) == 0) return true;
  std::remove(temporary.c_str());
  return false;
}

std::optional<summary::Summary> kept_summary(const std::string& trace) {
  const std::string name = summary_name(trace);
  if (!summary::is_summary(name)) return std::nullopt;
  try {
    summary::Summary one = summary::read_summary(name);
    if (one.source && one.source == source_of(named_trace(trace))) return one;
  } catch (const Error&) {
    return std::nullopt;  // it is written again
  }
  return std::nullopt;
}

/// A tenth of a second's work.
constexpr std::size_t kMostAtOnce = 100'000;

std::size_t events_of(const Trace& trace) {
  return trace.regions.size() + trace.ops.size() + trace.launches.size() + trace.activities.size();
}

}  // namespace

void leave_summary(const FinishResult& finished, WaitedFor waited) {
  const Process& process = finished.model.process;
  if (finished.by_another || process.rank < 0 || process.rank_count == 1) return;
  if (waited == WaitedFor::kYes && events_of(finished.model) > kMostAtOnce) return;
  try {
    summary::Summary one = summary::summarize(finished.model);
    one.source = source_of(finished.trace);
    write(one, summary_name(finished.trace));
  } catch (const std::exception&) {
    return;  // the trace was asked for, and is there
  }
}

summary::Summary summary_of(const std::string& name) {
  if (summary::is_summary(name)) return summary::read_summary(name);
  // What is still to be finished is newer than a trace of its name.
  const bool is_passing = is_pipe(name);
  if (!is_passing && !is_spool(name) && !is_spool(name + std::string(kSpoolSuffix))) {
    if (std::optional<summary::Summary> kept = kept_summary(name)) return std::move(*kept);
  }
  const OpenedTrace opened = open_trace(name);
  summary::Summary one = summary::summarize(opened.trace);
  if (opened.running) {
    fmt::print(stderr, "ompdm: {}: rank {} still records: it counts as far as it is\n", name,
               one.ranks.text());
    one.killed = {};
    return one;
  }
  if (is_passing || opened.trace.process.rank < 0 || is_spool(name)) return one;
  one.source = source_of(named_trace(name));
  if (one.source) write(one, summary_name(name));
  return one;
}

namespace {

constexpr std::string_view kMark = ".rank";

/// Where the digits of "trace.rank12.json" begin and end; the same where there are none.
std::pair<std::size_t, std::size_t> digits_of(const std::string& trace) {
  const std::size_t mark = trace.rfind(kMark);
  if (mark == std::string::npos || trace.find('/', mark) != std::string::npos) return {0, 0};
  const std::size_t begin = mark + kMark.size();
  std::size_t end = begin;
  while (end < trace.size() && std::isdigit(static_cast<unsigned char>(trace[end])) != 0) ++end;
  return {begin, end};
}

/// As a shell is to take it: a star that it opens.
std::string opened_by_shell(const std::string& pattern) {
  const std::size_t star = pattern.rfind('*');
  const std::string begin = pattern.substr(0, star);
  return (begin.empty() ? "" : shell_word(begin)) + pattern.substr(star);
}

/// The ranks that the names tell, as digits.
std::set<std::string> ranks_of(const std::vector<std::string>& traces) {
  std::set<std::string> ranks;
  for (const std::string& trace : traces) {
    const auto [begin, end] = digits_of(trace);
    ranks.insert(trace.substr(begin, end - begin));
  }
  return ranks;
}

std::string what_was_written(const std::vector<std::string>& traces, std::size_t ranks) {
  if (ranks == 1) return fmt::format("wrote {} and other ranks", traces.front());
  if (ranks == traces.size()) return fmt::format("wrote {} ranks", ranks);
  return fmt::format("wrote {} ranks, {} programs of them", ranks, traces.size());
}

}  // namespace

std::string pattern_of_ranks(const std::string& trace) {
  const auto [begin, end] = digits_of(trace);
  if (begin == end) return {};
  return trace.substr(0, begin) + '*' + trace.substr(end);
}

std::string pattern_of_job(const std::string& output) {
  if (output.find('%') != std::string::npos) return {};
  std::size_t stem = output.size();
  for (const std::string_view ending : {".json.gz", ".json", ".ompdm"}) {
    if (!output.ends_with(ending)) continue;
    stem -= ending.size();
    break;
  }
  return output.substr(0, stem) + std::string(kMark) + '*' + output.substr(stem);
}

std::string report_of_job(const std::string& pattern) {
  return "ompdm report --ranks " + opened_by_shell(pattern);
}

bool tell_job_once(Settled& settled) {
  if (settled.traces.empty()) return false;
  const std::string& first = settled.traces.front();
  const std::string pattern = pattern_of_ranks(first);
  const std::string begin = pattern.substr(0, pattern.rfind('*'));
  const bool one_job = !pattern.empty() && std::ranges::all_of(settled.traces, [&](auto& trace) {
    return digits_of(trace).first == begin.size() && trace.starts_with(begin);
  });
  if (!one_job) return false;
  std::erase_if(settled.lines, [](const std::string& line) { return line.starts_with("wrote "); });
  const std::set<std::string> ranks = ranks_of(settled.traces);
  if (ranks.size() == 1 && *ranks.begin() != "0") return true;
  settled.lines.push_back(fmt::format(
      "{}; next: {}", what_was_written(settled.traces, ranks.size()), report_of_job(pattern)));
  return true;
}

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSummaryEnding = ".summary.json";
constexpr std::string_view kSpoolEnding = ".spool";
constexpr std::array<std::string_view, 3> kTraceEndings = {".json.gz", ".json", ".ompdm"};

bool is_trace_name(const std::string& name) {
  return std::ranges::any_of(kTraceEndings, [&](auto& ending) { return name.ends_with(ending); });
}

/// Whether the trace that a summary lies beside is one of those that `is_there`.
template <class IsThere>
bool has_its_trace(const std::string& summary, IsThere is_there) {
  if (!summary.ends_with(kSummaryEnding)) return false;
  const std::string stem = summary.substr(0, summary.size() - kSummaryEnding.size());
  return std::ranges::any_of(kTraceEndings,
                             [&](auto& ending) { return is_there(stem + std::string(ending)); });
}

/// The trace that a summary lies beside, if it is there.
std::optional<std::string> trace_of_summary(const std::string& summary) {
  if (!summary.ends_with(kSummaryEnding)) return std::nullopt;
  const std::string stem = summary.substr(0, summary.size() - kSummaryEnding.size());
  for (const std::string_view ending : kTraceEndings) {
    std::string trace = stem + std::string(ending);
    if (is_trace(trace)) return trace;
  }
  return std::nullopt;
}

bool still_records(const SpoolInfo& spool) { return spool.runs && !spool.finished; }

/// What is named like the ranks that are there is meant to be one, and told of if it is broken.
void add_broken_ranks(const std::vector<std::string>& others, std::set<std::string>& files) {
  std::set<std::string> patterns;
  for (const std::string& file : files) patterns.insert(pattern_of_ranks(file));
  patterns.erase("");
  for (const std::string& name : others) {
    if (patterns.contains(pattern_of_ranks(name))) files.insert(name);
  }
}

/// Traces first, by whatever name, then what is to become one, then summaries without a trace.
std::vector<std::string> files_in(const std::string& folder) {
  std::set<std::string> files;
  std::vector<std::string> summaries;
  std::vector<std::string> others;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().string();
    if (!entry.is_regular_file(error) || !is_trace_name(name)) continue;
    if (summary::is_summary(name)) {
      summaries.push_back(name);
    } else if (entry.path().filename().native().find(".~") == std::string::npos) {
      if (is_trace(name)) {
        files.insert(name);
      } else {
        others.push_back(name);
      }
    }
  }
  if (error) throw Error(folder + ": cannot be read: check its rights");
  for (const SpoolInfo& spool : find_spools(folder)) {
    const std::string name = (fs::path(folder) / spool.path.filename()).string();
    if (still_records(spool)) {
      files.insert(name);
    } else if (name.ends_with(kSpoolEnding)) {
      files.insert(name.substr(0, name.size() - kSpoolEnding.size()));
    }
  }
  add_broken_ranks(others, files);
  std::vector<std::string> all(files.begin(), files.end());
  for (const std::string& name : summaries) {
    if (!has_its_trace(name, [&](const std::string& trace) { return files.contains(trace); })) {
      all.push_back(name);
    }
  }
  if (all.empty()) {
    throw Error(folder + ": holds no trace and no summary: run `ompdm record` there first");
  }
  return all;
}

}  // namespace

std::string summary_name(const std::string& trace) {
  for (const std::string_view ending : kTraceEndings) {
    if (!trace.ends_with(ending)) continue;
    return trace.substr(0, trace.size() - ending.size()) + std::string(kSummaryEnding);
  }
  return trace + std::string(kSummaryEnding);
}

std::vector<std::string> without_summaries(const std::vector<std::string>& names) {
  std::vector<std::string> others;
  std::error_code error;
  for (const std::string& name : names) {
    const auto is_there = [&](const std::string& trace) { return fs::exists(trace, error); };
    if (!has_its_trace(name, is_there)) others.push_back(name);
  }
  return others.empty() ? names : others;
}

std::vector<std::string> job_files(const std::vector<std::string>& names) {
  std::vector<std::string> files;
  std::error_code error;
  for (const std::string& name : names) {
    if (!fs::is_directory(name, error)) {
      files.push_back(name);
      continue;
    }
    for (std::string& file : files_in(name)) files.push_back(std::move(file));
  }
  files = without_older_runs(with_waiting_ranks(without_summaries(files)));
  std::ranges::stable_sort(files, {}, [](const std::string& name) {
    return std::pair(rank_in_name(name) < 0, rank_in_name(name));
  });
  return files;
}

std::vector<std::string> job_traces(const std::vector<std::string>& names) {
  std::vector<std::string> traces;
  for (std::string& name : job_files(names)) {
    if (summary::is_summary(name)) {
      std::optional<std::string> trace = trace_of_summary(name);
      if (!trace) {
        throw Error(name + ": is a summary, which has no events: name the trace that it is of");
      }
      name = std::move(*trace);
    }
    if (std::ranges::find(traces, name) == traces.end()) traces.push_back(std::move(name));
  }
  return traces;
}

bool means_job(const std::vector<std::string>& names) {
  constexpr std::size_t kShownOneByOne = 8;
  std::error_code error;
  const std::vector<std::string> traces = without_summaries(names);
  const bool is_named = std::ranges::any_of(traces, [&](const std::string& name) {
    return fs::is_directory(name, error) || summary::is_summary(name);
  });
  return is_named || (traces.size() > kShownOneByOne && std::ranges::all_of(traces, [](auto& name) {
                        return rank_in_name(name) >= 0;
                      }));
}

}  // namespace ompdm::cli
