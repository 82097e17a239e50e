#include "job_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <string_view>
#include <utility>

#include "shell_words.h"

namespace ompdm::cli {
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

}  // namespace ompdm::cli
