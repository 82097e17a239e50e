#include "job_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>

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

}  // namespace

std::string pattern_of_ranks(const std::string& trace) {
  const auto [begin, end] = digits_of(trace);
  if (begin == end) return {};
  return trace.substr(0, begin) + '*' + trace.substr(end);
}

bool tell_job_once(Settled& settled) {
  if (settled.traces.empty()) return false;
  const std::string pattern = pattern_of_ranks(settled.traces.front());
  const bool one_job = !pattern.empty() && std::ranges::all_of(settled.traces, [&](auto& trace) {
    return pattern_of_ranks(trace) == pattern;
  });
  if (!one_job) return false;
  std::erase_if(settled.lines, [](const std::string& line) { return line.starts_with("wrote "); });
  const auto [begin, end] = digits_of(settled.traces.front());
  const bool is_for_all =
      settled.traces.size() > 1 || settled.traces.front().substr(begin, end - begin) == "0";
  if (!is_for_all) return true;
  settled.lines.push_back(fmt::format("{}; next: ompdm report --ranks {}",
                                      settled.traces.size() > 1
                                          ? fmt::format("wrote {} ranks", settled.traces.size())
                                          : "wrote " + settled.traces.front() + " and other ranks",
                                      opened_by_shell(pattern)));
  return true;
}

}  // namespace ompdm::cli
