#include "waiting_ranks.h"

#include <fnmatch.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>

#include "ompdm/finish.h"

namespace ompdm::cli {
namespace {

namespace fs = std::filesystem;

bool matches(const std::string& pattern, const fs::path& file) {
  return fnmatch(pattern.c_str(), file.filename().c_str(), 0) == 0;
}

/// "out/trace.rank*.json" of "out/trace.rank12.json" and of itself; empty for other names.
fs::path pattern_of(const fs::path& name) {
  const std::string file = name.filename();
  constexpr std::string_view kMark = ".rank";
  const std::size_t mark = file.find(kMark);
  if (mark == std::string::npos) return {};
  std::size_t end = mark + kMark.size();
  const auto is_number = [&] { return end < file.size() && std::isdigit(file[end]) != 0; };
  if (end < file.size() && file[end] == '*') {
    ++end;
  } else {
    while (is_number()) ++end;
  }
  if (end == mark + kMark.size() || (end < file.size() && file[end] != '.')) return {};
  return name.parent_path() / (file.substr(0, mark) + ".rank*" + file.substr(end));
}

fs::path folder_of(const fs::path& pattern) {
  return pattern.has_parent_path() ? pattern.parent_path() : fs::path(".");
}

bool are_all(const std::set<fs::path>& named, const fs::path& pattern) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder_of(pattern), error)) {
    const fs::path name = pattern.parent_path() / entry.path().filename();
    const bool older = entry.path().filename().native().find(".~") != std::string::npos;
    const bool summary = name.native().ends_with(".summary.json");
    if (matches(pattern.filename(), name) && !older && !summary && !named.contains(name))
      return false;
  }
  return true;
}

}  // namespace

std::vector<std::string> with_waiting_ranks(const std::vector<std::string>& names) {
  std::set<fs::path> named(names.begin(), names.end());
  std::set<fs::path> patterns;
  std::vector<std::string> all;
  std::error_code error;
  for (const std::string& name : names) {
    const fs::path pattern = pattern_of(name);
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

}  // namespace ompdm::cli
