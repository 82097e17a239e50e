#include "source_lines.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>

namespace ompdm::cli {
namespace {

constexpr std::size_t kLongestLine = 400;
constexpr std::uintmax_t kLargestFile = 16 << 20;

/// When a file was changed last, in nanoseconds of CLOCK_REALTIME; none if it is no regular file.
std::optional<std::int64_t> changed_at(const std::filesystem::path& path) {
  struct stat status{};
  if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
}

/// Files are as the compiler was given them: from the folder that the program ran in, or that of
/// its binary, or this one.
std::vector<std::filesystem::path> places_of(const std::string& file, const Process& process) {
  const std::filesystem::path path(file);
  if (path.is_absolute()) return {path};
  const std::filesystem::path directory(process.directory);
  return {directory / path, (directory / process.program).parent_path() / path, path};
}

/// 0: it is not there.
std::int64_t built_at(const Process& process) {
  return changed_at(std::filesystem::path(process.directory) / process.program).value_or(0);
}

std::vector<std::string> lines_of(const std::filesystem::path& path) {
  std::error_code unreadable;
  if (std::filesystem::file_size(path, unreadable) > kLargestFile || unreadable) return {};
  std::ifstream in(path, std::ios::binary);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) {
    if (line.size() > kLongestLine) line.resize(kLongestLine);
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace

SourceLines::SourceLines(const Process& process)
    : process_(process),
      built_(built_at(process)),
      // No source of the recorded program is newer than its binary, if that is still the one that
      // ran, and than the run.
      latest_(built_ != 0 ? std::min(built_, process.start_realtime_ns)
                          : process.start_realtime_ns) {}

const std::vector<std::string>& SourceLines::of(const std::string& file) const {
  const auto [at, is_new] = known_.try_emplace(file);
  if (!is_new) return at->second;
  const std::filesystem::path path = path_of(file);
  if (!path.empty()) at->second = lines_of(path);
  return at->second;
}

std::filesystem::path SourceLines::path_of(const std::string& file) const {
  std::filesystem::path place = place_of(file);
  const std::optional<std::int64_t> changed = changed_at(place);
  if (changed && *changed > latest_) place.clear();
  return place;
}

std::filesystem::path SourceLines::place_of(const std::string& file) const {
  for (const std::filesystem::path& place : places_of(file, process_)) {
    if (changed_at(place)) return place;
  }
  return {};
}

bool SourceLines::is_older_than_rebuilt_program(const std::filesystem::path& path) const {
  const std::optional<std::int64_t> changed = changed_at(path);
  return changed && built_ > process_.start_realtime_ns && *changed <= built_;
}

}  // namespace ompdm::cli
