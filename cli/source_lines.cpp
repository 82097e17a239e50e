#include "source_lines.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <optional>
#include <regex>
#include <sstream>
#include <system_error>
#include <utility>

#include "output.h"

namespace ompdm::cli {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kBlock = 64;
using Md5State = std::array<std::uint32_t, 4>;

/// Adds a block of 64 bytes, as RFC 1321 has it.
void add_block(std::string_view block, Md5State& state) {
  static const auto kSines = [] {
    std::array<std::uint32_t, 64> table{};  // the integer parts of 2^32 |sin(i + 1)|
    for (std::uint32_t i = 0; i < table.size(); ++i) {
      table[i] = static_cast<std::uint32_t>(std::ldexp(std::fabs(std::sin(i + 1.0)), 32));
    }
    return table;
  }();
  constexpr int kShifts[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
  constexpr std::uint32_t kSteps[4] = {1, 5, 3, 7};
  constexpr std::uint32_t kBegins[4] = {0, 1, 5, 0};
  auto [a, b, c, d] = state;
  for (std::uint32_t i = 0; i < 64; ++i) {
    const std::uint32_t round = i / 16;
    const std::uint32_t mixed = round == 0   ? (b & c) | (~b & d)
                                : round == 1 ? (d & b) | (~d & c)
                                : round == 2 ? b ^ c ^ d
                                             : c ^ (b | ~d);
    const std::size_t at = std::size_t{4} * ((kSteps[round] * i + kBegins[round]) % 16);
    std::uint32_t word = 0;  // little-endian, whatever the machine is
    for (std::size_t byte = 4; byte-- > 0;) {
      word = word << 8 | static_cast<unsigned char>(block[at + byte]);
    }
    const std::uint32_t sum = a + mixed + kSines[i] + word;
    a = d;
    d = c;
    c = b;
    b += std::rotl(sum, kShifts[round][i % 4]);
  }
  state = {state[0] + a, state[1] + b, state[2] + c, state[3] + d};
}

constexpr std::size_t kLongestLine = 400;
constexpr std::uintmax_t kLargestFile = 16 << 20;

/// When a file was changed last, in nanoseconds of CLOCK_REALTIME. None if it is no regular file.
std::optional<std::int64_t> changed_at(const fs::path& path) {
  struct stat status{};
  if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
}

/// The possible paths of a file that has the compiler's name for it. Relative names may begin in
/// the folder that the program ran in, in that of its binary, or in the current one.
std::vector<fs::path> places_of(const std::string& file, const Process& process) {
  const fs::path path(file);
  if (path.is_absolute()) return {path};
  const fs::path directory(process.directory);
  return {directory / path, (directory / process.program).parent_path() / path, path};
}

/// The contents of a file. Empty where it is too large for a source.
std::string content_of(const fs::path& path) {
  std::error_code unreadable;
  if (fs::file_size(path, unreadable) > kLargestFile || unreadable) return {};
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> lines_of(const std::string& content) {
  std::istringstream in(content);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) {
    if (line.ends_with('\r')) line.pop_back();
    if (line.size() > kLongestLine) line.resize(kLongestLine);
    lines.push_back(std::move(line));
  }
  return lines;
}

/// Whether a line has a name in capital letters, as macros have.
bool uses_macro(const std::string& line) {
  static const std::regex kMacro(R"(\b[A-Z][A-Z0-9_]{3,}\b)");
  return std::regex_search(line, kMacro);
}

/// Whether a line has a directive of C, C++ or Fortran.
bool is_directive(const std::string& line) {
  static const std::regex kDirective(
      R"(^\s*#\s*pragma\s+omp\b|\b_Pragma\s*\(\s*"\s*omp\b|\[\[\s*omp\s*::|^\s*!\$omp\b|^[c*]\$omp\b)",
      std::regex::icase);
  return std::regex_search(line, kDirective);
}

/// The lines that the analysis names, by file.
std::map<std::string, std::set<int>> named_lines(const analysis::Analysis& analysis) {
  std::map<std::string, std::set<int>> lines;
  const auto add = [&](const std::string& file, int line) {
    if (!file.empty() && line > 0) lines[file].insert(line);
  };
  for (const auto& row : analysis.directives) add(row.file, row.line);
  for (const auto& row : analysis.loops) add(row.file, row.line);
  for (const auto& row : analysis.findings) add(row.file, row.line);
  return lines;
}

void add_excerpts(const std::string& file, const std::vector<std::string>& lines,
                  const std::set<int>& named, std::vector<report::SourceExcerpt>& excerpts) {
  constexpr int kLinesAround = 8;
  const int last = static_cast<int>(lines.size());
  int shown = 0;
  for (const int line : named) {
    if (line > last) return;
    const int begin = std::max(line - kLinesAround, 1);
    const int end = std::min(line + kLinesAround, last);
    if (shown == 0 || begin > shown + 1) excerpts.push_back({file, begin, {}});
    for (int i = std::max(begin, shown + 1); i <= end; ++i) {
      excerpts.back().lines.push_back(lines[static_cast<std::size_t>(i - 1)]);
    }
    shown = std::max(shown, end);
  }
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

/// A line without its comments. A line in the middle of a comment counts as empty.
std::string code_of(const std::string& line) {
  std::string code = line.substr(0, line.find("//"));
  for (std::size_t at = 0; (at = code.find("/*")) != std::string::npos;) {
    const std::size_t end = code.find("*/", at);
    code.erase(at, end == std::string::npos ? std::string::npos : end + 2 - at);
  }
  const std::string_view text = trimmed(code);
  return text.starts_with('*') && !text.ends_with(';') ? std::string() : std::string(text);
}

}  // namespace

std::string md5_of(std::string_view bytes) {
  // The padding: a one, zeros, and the number of bits.
  std::string padded = std::string(bytes) + '\x80';
  padded.resize((bytes.size() + 8) / kBlock * kBlock + kBlock - 8);
  const std::uint64_t bits = std::uint64_t{bytes.size()} * 8;
  for (int shift = 0; shift < 64; shift += 8) padded += static_cast<char>(bits >> shift & 0xff);
  Md5State state = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
  for (std::size_t at = 0; at < padded.size(); at += kBlock) {
    add_block(std::string_view(padded).substr(at, kBlock), state);
  }
  std::string text;
  for (const std::uint32_t word : state) text += fmt::format("{:08x}", __builtin_bswap32(word));
  return text;
}

fs::path found_in(const fs::path& folder, const fs::path& name) {
  if (folder.empty()) return {};
  const std::vector<fs::path> parts(name.begin(), name.end());
  for (std::size_t first = name.is_absolute() ? 1 : 0; first < parts.size(); ++first) {
    fs::path end;
    for (std::size_t i = first; i < parts.size(); ++i) end /= parts[i];
    std::error_code failed;
    fs::path place = (folder / end).lexically_normal();
    if (fs::is_regular_file(place, failed)) return place;
  }
  return {};
}

template <class Rows>
SourceLines::SourceLines(const Process& process, const std::vector<SourceFile>& sources,
                         const Rows& directives)
    : process_(process),
      built_(changed_at(fs::path(process.directory) / process.program).value_or(0)),
      // A source of the recorded program is not newer than the run. Nor is it newer than the
      // binary, if the binary has not changed since the run.
      latest_(built_ != 0 ? std::min(built_, process_.start_realtime_ns)
                          : process_.start_realtime_ns) {
  for (const SourceFile& source : sources) digests_[source.file].insert(source.md5);
  for (const auto& row : directives) {
    const bool is_call = row.directive == Directive::kApi || row.directive == Directive::kRuntime;
    if (!is_call && row.line > 0) directives_[row.file].insert(row.line);
  }
}

SourceLines::SourceLines(const analysis::Analysis& analysis, fs::path folder)
    : SourceLines(analysis.process, analysis.sources, analysis.directives) {
  folder_ = std::move(folder);
}

SourceLines::SourceLines(const Trace& trace, fs::path folder, std::vector<fs::path> compiled_in)
    : SourceLines(trace.process, trace.sources, trace.sites) {
  folder_ = std::move(folder);
  compiled_in_ = std::move(compiled_in);
}

bool SourceLines::is_newer_than_build(const fs::path& place, std::int64_t changed) const {
  if (folder_.empty()) return changed > latest_;
  // A source in the user's folder may have been copied since.
  const fs::path inside = fs::absolute(place).lexically_normal().lexically_relative(
      fs::absolute(folder_).lexically_normal());
  return (inside.empty() || *inside.begin() == "..") && changed > latest_;
}

bool SourceLines::is_as_compiled(const fs::path& place, const std::set<std::string>& md5s) const {
  const std::optional<std::int64_t> changed = changed_at(place);
  if (!changed) return false;
  if (md5s.empty()) return !is_newer_than_build(place, *changed);
  return md5s == std::set<std::string>{md5_of(content_of(place))};
}

SourceLines::Source SourceLines::read(const fs::path& place, const std::string& file) const {
  const std::optional<std::int64_t> changed = changed_at(place);
  if (!changed) return {};
  const std::string content = content_of(place);
  Source source{place, lines_of(content), is_newer_than_build(place, *changed)};
  if (const auto digests = digests_.find(file); digests != digests_.end()) {
    source.is_compiled = digests->second.contains(md5_of(content));
  } else if (const auto lines = directives_.find(file); lines != directives_.end()) {
    const auto text = [&](int line) {
      const auto at = static_cast<std::size_t>(line) - 1;
      return at < source.lines.size() ? source.lines[at] : std::string();
    };
    // Some directives may be written by macros, but not all.
    source.has_directives =
        std::ranges::any_of(lines->second, [&](int line) { return is_directive(text(line)); }) &&
        std::ranges::all_of(lines->second, [&](int line) {
          return is_directive(text(line)) || uses_macro(text(line));
        });
  }
  return source;
}

/// The first place with the compiled file, else the first place with any file.
const SourceLines::Source& SourceLines::find(const std::string& file) const {
  const auto [at, is_new] = known_.try_emplace(file);
  Source& found = at->second;
  if (!is_new || file.empty()) return found;
  if (const fs::path place = found_in(folder_, file); !place.empty()) {
    found = read(place, file);
    if (found.is_as_it_was()) return found;
  }
  std::vector<Source> compiled;
  for (const fs::path& folder :
       fs::path(file).is_relative() ? compiled_in_ : std::vector<fs::path>()) {
    Source source = read(folder / file, file);
    const bool is_known = std::ranges::any_of(compiled, [&](const Source& one) {
      std::error_code failed;
      return fs::equivalent(one.place, source.place, failed);
    });
    if (!source.place.empty() && !is_known) compiled.push_back(std::move(source));
  }
  // Files of one name in several folders are one source if they have one content.
  const bool are_alike = std::ranges::all_of(
      compiled, [&](const Source& one) { return one.lines == compiled.front().lines; });
  if (!are_alike) return found;
  if (!compiled.empty()) found = std::move(compiled.front());
  for (const fs::path& place : places_of(file, process_)) {
    if (found.is_as_it_was()) break;
    Source source = read(place, file);
    if (found.place.empty() || source.is_as_it_was()) found = std::move(source);
  }
  if (!found.is_as_it_was()) found.lines.clear();
  return found;
}

bool SourceLines::is_older_than_rebuilt_program(const fs::path& path) const {
  const std::optional<std::int64_t> changed = changed_at(path);
  return changed && built_ > process_.start_realtime_ns && *changed <= built_;
}

std::vector<report::SourceExcerpt> source_excerpts(const std::vector<analysis::Analysis>& analyses,
                                                   const fs::path& folder) {
  constexpr std::size_t kMostFiles = 200;
  std::vector<report::SourceExcerpt> excerpts;
  std::map<std::string, std::set<int>> named;
  std::map<std::string, std::vector<std::string>> found;
  for (const analysis::Analysis& analysis : analyses) {
    const SourceLines sources(analysis, folder);
    for (const auto& [file, lines] : named_lines(analysis)) {
      named[file].insert(lines.begin(), lines.end());
      const std::vector<std::string>& text = sources.of(file);
      if (!text.empty() && found.size() < kMostFiles) found.try_emplace(file, text);
    }
  }
  for (const auto& [file, lines] : found) add_excerpts(file, lines, named[file], excerpts);
  return excerpts;
}

void refuse_source_as_output(const std::string& output,
                             const std::vector<analysis::Analysis>& analyses,
                             const fs::path& folder) {
  if (output.empty()) return;
  for (const analysis::Analysis& analysis : analyses) {
    const SourceLines sources(analysis, folder);
    std::vector<std::string> files;
    if (!analysis.process.arguments.empty()) files.push_back(analysis.process.arguments.front());
    for (const auto& [file, lines] : named_lines(analysis)) {
      if (const fs::path place = sources.place_of(file); !place.empty()) files.push_back(place);
    }
    refuse_input_as_output(output, files);
  }
}

void resolve_begins_of_loops(Trace& trace, const fs::path& folder) {
  static const std::regex kFor(R"(^(#\s*pragma\s+omp\b.*\b)?for\b.*)");
  static const std::regex kWord(R"(\b(for|while|do)\b)", std::regex::icase);
  const SourceLines sources(trace, folder);
  for (CodeLoop& loop : trace.loops) {
    const std::vector<std::string>& lines = sources.of(loop.file);
    const auto line = static_cast<std::size_t>(std::max(loop.line, 0));
    if (loop.unrolled || line == 0 || line > lines.size()) continue;
    const std::string code = code_of(lines[line - 1]);
    if (std::regex_match(code, kFor)) loop.begin_unknown = false;
    if (!std::regex_search(code, kWord)) loop.begin_unknown = true;
  }
}

}  // namespace ompdm::cli
