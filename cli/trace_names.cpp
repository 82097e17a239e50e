#include "trace_names.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <set>
#include <system_error>

#include "ompdm/finish.h"
#include "printable.h"

namespace ompdm::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMark = ".rank";
constexpr std::string_view kDigits = "0123456789";

/// The digits of "trace.rank12.json", or the star of a pattern: where they begin, and how many they
/// are. 0 where there are none.
std::pair<std::size_t, std::size_t> rank_digits(std::string_view name) {
  const std::size_t mark = name.rfind(kMark);
  if (mark == std::string::npos || name.find('/', mark) != std::string::npos) return {0, 0};
  const std::size_t begin = mark + kMark.size();
  std::size_t end = std::min(name.find_first_not_of(kDigits, begin), name.size());
  if (end == begin && end < name.size() && name[end] == '*') ++end;
  const bool ends = end == name.size() || name[end] == '.';
  return {begin, ends ? end - begin : 0};
}

/// "trace.json" of "trace.~1~.json"; nothing of other names.
std::optional<std::string> newest_name(const std::string& name) {
  const std::size_t file = name.rfind('/') + 1;
  const std::size_t begin = name.find(".~", file);
  if (begin == std::string::npos) return std::nullopt;
  const std::size_t end = name.find_first_not_of(kDigits, begin + 2);
  if (end == begin + 2 || end == std::string::npos || name[end] != '~') return std::nullopt;
  return name.substr(0, begin) + name.substr(end + 1);
}

/// As a shell is to take it: a star that it opens.
std::string opened_by_shell(const std::string& pattern) {
  const std::size_t star = pattern.rfind('*');
  const std::string begin = pattern.substr(0, star);
  return (begin.empty() ? "" : shell_word(begin)) + pattern.substr(star);
}

bool matches(const std::string& pattern, const fs::path& file) {
  return fnmatch(pattern.c_str(), file.filename().c_str(), 0) == 0;
}

fs::path folder_of(const fs::path& pattern) {
  return pattern.has_parent_path() ? pattern.parent_path() : fs::path(".");
}

/// Whether all files of the pattern are named.
bool are_all(const std::set<fs::path>& named, const fs::path& pattern) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder_of(pattern), error)) {
    const fs::path name = pattern.parent_path() / entry.path().filename();
    const bool counts = !is_older_run(name) && !name.native().ends_with(kSummaryEnding);
    if (counts && matches(pattern.filename(), name) && !named.contains(name)) return false;
  }
  return true;
}

/// Whether a file is named as `ompdm record` names a trace unless told otherwise, and as no older
/// run and no summary.
bool is_newest_run(const std::string& name) {
  return name.starts_with("trace.") && without_trace_ending(name) != name &&
         !name.ends_with(kSummaryEnding) && !is_older_run(name);
}

}  // namespace

int rank_in_name(const std::string& name) {
  constexpr std::size_t kMostDigits = 9;
  const auto [begin, count] = rank_digits(name);
  if (count == 0 || count > kMostDigits || name[begin] == '*') return -1;
  int rank = 0;
  std::from_chars(&name[begin], &name[begin] + count, rank);
  return rank;
}

std::string pattern_of_ranks(const std::string& trace) {
  const auto [begin, count] = rank_digits(trace);
  return count == 0 ? std::string() : std::string(trace).replace(begin, count, "*");
}

std::string pattern_of_job(const std::string& output) {
  if (output.find('%') != std::string::npos) return {};
  const std::string stem = without_trace_ending(output);
  return stem + std::string(kMark) + '*' + output.substr(stem.size());
}

std::string report_of_job(const std::string& pattern) {
  return "ompdm report --ranks " + opened_by_shell(pattern);
}

std::string without_trace_ending(const std::string& name) {
  for (const std::string_view ending : kTraceEndings) {
    if (name.ends_with(ending)) return name.substr(0, name.size() - ending.size());
  }
  return name;
}

std::string summary_name(const std::string& trace) {
  return without_trace_ending(trace) + std::string(kSummaryEnding);
}

std::vector<std::string> traces_of_summary(const std::string& summary) {
  std::vector<std::string> traces;
  if (!summary.ends_with(kSummaryEnding)) return traces;
  const std::string stem = summary.substr(0, summary.size() - kSummaryEnding.size());
  for (const std::string_view ending : kTraceEndings) traces.push_back(stem + std::string(ending));
  return traces;
}

std::vector<std::string> without_summaries(const std::vector<std::string>& names) {
  std::vector<std::string> others;
  std::error_code error;
  for (const std::string& name : names) {
    const bool has_trace =
        std::ranges::any_of(traces_of_summary(name),
                            [&](const std::string& trace) { return fs::exists(trace, error); });
    if (!has_trace) others.push_back(name);
  }
  return others.empty() ? names : others;
}

bool is_older_run(const std::string& name) {
  return name.find(".~", name.rfind('/') + 1) != std::string::npos;
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

std::vector<std::string> with_waiting_ranks(const std::vector<std::string>& names) {
  std::set<fs::path> named(names.begin(), names.end());
  std::set<fs::path> patterns;
  std::vector<std::string> all;
  std::error_code error;
  for (const std::string& name : names) {
    const fs::path pattern = pattern_of_ranks(name);
    if (!pattern.empty()) patterns.insert(pattern);
    if (fs::path(name) != pattern) all.push_back(name);
  }
  for (const fs::path& pattern : patterns) {
    named.erase(pattern);
    if (!are_all(named, pattern)) continue;
    for (const SpoolInfo& spool : find_spools(folder_of(pattern))) {
      const fs::path trace = pattern.parent_path() / spool.output.filename();
      const bool here = fs::equivalent(folder_of(spool.output), folder_of(pattern), error);
      if (here && matches(pattern.filename(), trace) && named.insert(trace).second) {
        all.push_back(trace);
      }
    }
  }
  return all.empty() ? names : all;
}

std::string newest_trace_here() {
  std::string newest;
  fs::file_time_type written;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(".", error)) {
    const std::string name = entry.path().filename();
    if (!is_newest_run(name) || !entry.is_regular_file(error)) continue;
    const fs::file_time_type time = entry.last_write_time(error);
    if (!newest.empty() && time <= written) continue;
    newest = name;
    written = time;
  }
  // A process that was killed left a spool: opening its trace finishes it.
  if (newest.empty() && fs::exists("trace.json.spool", error)) newest = "trace.json";
  return rank_in_name(newest) >= 0 ? "." : newest;
}

}  // namespace ompdm::cli
