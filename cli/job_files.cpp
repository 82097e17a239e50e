#include "job_files.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "job_lines.h"
#include "ompdm/error.h"
#include "ompdm/finish.h"
#include "ompdm/summary.h"
#include "ompdm/trace_file.h"
#include "one_run.h"
#include "waiting_ranks.h"

namespace ompdm::cli {
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
