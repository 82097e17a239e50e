#include "rank_summaries.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <string_view>

#include "ompdm/error.h"
#include "ompdm/trace_file.h"
#include "one_run.h"
#include "open_trace.h"
#include "progress.h"
#include "waiting_ranks.h"

namespace ompdm::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEnding = ".summary.json";
constexpr std::string_view kTraceEnding = ".json";
constexpr std::string_view kSpoolEnding = ".spool";

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

/// The name of the trace that a summary lies beside; empty of other names.
std::string trace_of_summary(const std::string& name) {
  if (!name.ends_with(kEnding)) return {};
  return name.substr(0, name.size() - kEnding.size()) + std::string(kTraceEnding);
}

/// The trace that a summary is of, where it is there: of a long run, too.
std::optional<std::string> events_of_summary(const std::string& name) {
  if (!name.ends_with(kEnding)) return std::nullopt;
  const std::string stem = name.substr(0, name.size() - kEnding.size());
  for (std::string trace : {stem, named_trace(stem + std::string(kTraceEnding))}) {
    if (is_trace(trace)) return trace;
  }
  return std::nullopt;
}

std::optional<summary::Summary> kept_summary(const std::string& trace) {
  const std::string name = summary_name(trace);
  if (!summary::is_summary(name)) return std::nullopt;
  try {
    summary::Summary one = summary::read_summary(name);
    if (one.source && one.source == source_of(trace)) return one;
  } catch (const Error&) {  // it is made anew
  }
  return std::nullopt;
}

bool still_records(const SpoolInfo& spool) { return spool.runs && !spool.finished; }

/// Traces first, by whatever name, then what is to become one, then summaries without a trace.
std::vector<std::string> files_in(const std::string& folder) {
  std::set<std::string> files;
  std::vector<std::string> summaries;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().string();
    if (!entry.is_regular_file(error) || !name.ends_with(kTraceEnding)) continue;
    if (summary::is_summary(name)) {
      summaries.push_back(name);
    } else if (is_trace(name) && entry.path().filename().native().find(".~") == std::string::npos) {
      files.insert(name);
    }
  }
  if (error) throw Error(folder + ": cannot be read: check its rights");
  for (const SpoolInfo& spool : find_spools(folder)) {
    const std::string name = spool.path.string();
    if (still_records(spool)) {
      files.insert(name);
    } else if (name.ends_with(kSpoolEnding)) {
      files.insert(name.substr(0, name.size() - kSpoolEnding.size()));
    }
  }
  std::vector<std::string> all(files.begin(), files.end());
  for (const std::string& name : summaries) {
    const std::string trace = trace_of_summary(name);
    if (trace.empty() ? all.empty() : !files.contains(trace)) all.push_back(name);
  }
  if (all.empty()) {
    throw Error(folder + ": holds no trace and no summary: run `ompdm record` there first");
  }
  return all;
}

}  // namespace

std::string summary_name(const std::string& trace) {
  const std::string stem =
      trace.ends_with(kTraceEnding) ? trace.substr(0, trace.size() - kTraceEnding.size()) : trace;
  return stem + std::string(kEnding);
}

void leave_summary(const FinishResult& finished) {
  const Process& process = finished.model.process;
  if (finished.by_another || process.rank < 0 || process.rank_count == 1) return;
  try {
    summary::Summary one = summary::summarize(finished.model);
    one.source = source_of(finished.trace);
    write(one, summary_name(finished.trace));
  } catch (const std::exception&) {  // the trace is what was asked for
  }
}

std::vector<std::string> without_summaries(const std::vector<std::string>& names) {
  std::vector<std::string> others;
  std::error_code error;
  for (const std::string& name : names) {
    const std::string trace = trace_of_summary(name);
    if (trace.empty() || !fs::exists(trace, error)) others.push_back(name);
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
  std::ranges::stable_sort(files, {}, rank_in_name);
  return files;
}

std::vector<std::string> job_traces(const std::vector<std::string>& names) {
  std::vector<std::string> traces;
  for (std::string& name : job_files(names)) {
    if (summary::is_summary(name)) {
      std::optional<std::string> trace = events_of_summary(name);
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

summary::Summary summary_of(const std::string& name) {
  if (summary::is_summary(name)) return summary::read_summary(name);
  // What is still to be finished is newer than a trace of its name.
  if (!is_spool(name) && !is_spool(name + std::string(kSpoolEnding))) {
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
  if (opened.trace.process.rank < 0 || is_spool(name)) return one;
  one.source = source_of(name);
  if (one.source) write(one, summary_name(name));
  return one;
}

summary::Summary merged(const std::vector<std::string>& files) {
  const Progress progress(fmt::format("reading {} ranks", files.size()));
  summary::Summary all;
  for (const std::string& file : files) {
    const summary::Summary one = summary_of(file);
    try {
      summary::merge(all, one);
    } catch (const Error& error) {
      throw Error(fmt::format("{} and what was named before it: {}", file, error.what()));
    }
  }
  return all;
}

}  // namespace ompdm::cli
