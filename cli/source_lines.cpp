#include "source_lines.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <regex>
#include <sstream>
#include <system_error>

#include "md5.h"

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

/// All of a file; empty where it is too large for a source.
std::string content_of(const std::filesystem::path& path) {
  std::error_code unreadable;
  if (std::filesystem::file_size(path, unreadable) > kLargestFile || unreadable) return {};
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> lines_of(const std::string& content) {
  std::istringstream in(content);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) {
    if (line.size() > kLongestLine) line.resize(kLongestLine);
    lines.push_back(std::move(line));
  }
  return lines;
}

/// Whether a directive stands there, as C, C++ or Fortran have them.
bool is_directive(const std::string& line) {
  static const std::regex kDirective(
      R"(^\s*#\s*pragma\s+omp\b|\b_Pragma\s*\(\s*"\s*omp\b|\[\[\s*omp\s*::|^\s*!\$omp\b|^[c*]\$omp\b)",
      std::regex::icase);
  return std::regex_search(line, kDirective);
}

}  // namespace

SourceLines::SourceLines(const Process& process, const std::vector<SourceFile>& sources)
    : process_(process),
      built_(built_at(process_)),
      // No source of the recorded program is newer than its binary, if that is still the one that
      // ran, and than the run.
      latest_(built_ != 0 ? std::min(built_, process_.start_realtime_ns)
                          : process_.start_realtime_ns) {
  for (const SourceFile& source : sources) digests_[source.file].insert(source.md5);
}

SourceLines::SourceLines(const analysis::Analysis& analysis)
    : SourceLines(analysis.process, analysis.sources) {
  for (const analysis::DirectiveRow& row : analysis.directives) {
    add_directive(row.directive, row.file, row.line);
  }
}

SourceLines::SourceLines(const Trace& trace) : SourceLines(trace.process, trace.sources) {
  for (const Site& site : trace.sites) add_directive(site.directive, site.file, site.line);
}

void SourceLines::add_directive(Directive directive, const std::string& file, int line) {
  const bool is_one = directive != Directive::kApi && directive != Directive::kRuntime && line > 0;
  if (is_one) directives_[file].insert(line);
}

SourceLines::Source SourceLines::read(const std::filesystem::path& place,
                                      const std::string& file) const {
  const std::optional<std::int64_t> changed = changed_at(place);
  if (!changed) return {};
  const std::string content = content_of(place);
  Source source{place, lines_of(content), *changed > latest_};
  if (const auto digests = digests_.find(file); digests != digests_.end()) {
    source.is_compiled = digests->second.contains(md5_of(content));
  } else if (const auto lines = directives_.find(file); lines != directives_.end()) {
    source.has_directives = std::ranges::all_of(lines->second, [&](int line) {
      const auto at = static_cast<std::size_t>(line) - 1;
      return at < source.lines.size() && is_directive(source.lines[at]);
    });
  }
  return source;
}

/// The first place that has what was compiled, else the first that has something.
const SourceLines::Source& SourceLines::source_of(const std::string& file) const {
  const auto [at, is_new] = known_.try_emplace(file);
  Source& found = at->second;
  if (!is_new || file.empty()) return found;
  for (const std::filesystem::path& place : places_of(file, process_)) {
    Source source = read(place, file);
    if (found.place.empty() || source.is_as_it_was()) found = std::move(source);
    if (found.is_as_it_was()) break;
  }
  if (!found.is_as_it_was()) found.lines.clear();
  return found;
}

const std::vector<std::string>& SourceLines::of(const std::string& file) const {
  return source_of(file).lines;
}

std::filesystem::path SourceLines::path_of(const std::string& file) const {
  const Source& source = source_of(file);
  return source.is_as_it_was() ? source.place : std::filesystem::path();
}

std::filesystem::path SourceLines::place_of(const std::string& file) const {
  return source_of(file).place;
}

bool SourceLines::is_newer(const std::string& file) const { return source_of(file).is_newer; }

bool SourceLines::may_be_compiled(const std::string& file) const {
  return source_of(file).has_directives;
}

bool SourceLines::is_known_by_age_alone(const std::string& file) const {
  return !digests_.contains(file) && !directives_.contains(file);
}

bool SourceLines::is_older_than_rebuilt_program(const std::filesystem::path& path) const {
  const std::optional<std::int64_t> changed = changed_at(path);
  return changed && built_ > process_.start_realtime_ns && *changed <= built_;
}

}  // namespace ompdm::cli
