#include "source_files.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "output.h"
#include "source_lines.h"

namespace ompdm::cli {
namespace {

constexpr int kLinesAround = 8;
constexpr std::size_t kMostFiles = 200;

/// The lines that are spoken of, by file.
std::map<std::string, std::set<int>> named_lines(const analysis::Analysis& analysis) {
  std::map<std::string, std::set<int>> lines;
  const auto add = [&](const std::string& file, int line) {
    if (!file.empty() && line > 0) lines[file].insert(line);
  };
  for (const auto& row : analysis.directives) add(row.file, row.line);
  for (const auto& row : analysis.iterations) add(row.file, row.line);
  for (const auto& row : analysis.findings) add(row.file, row.line);
  return lines;
}

void add_excerpts(const std::string& file, const std::vector<std::string>& lines,
                  const std::set<int>& named, std::vector<report::SourceExcerpt>& excerpts) {
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

}  // namespace

std::vector<report::SourceExcerpt> source_excerpts(
    const std::vector<analysis::Analysis>& analyses) {
  std::vector<report::SourceExcerpt> excerpts;
  std::map<std::string, std::set<int>> named;
  std::map<std::string, std::vector<std::string>> found;
  for (const analysis::Analysis& analysis : analyses) {
    const SourceLines sources(analysis);
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
                             const std::vector<analysis::Analysis>& analyses) {
  if (output.empty()) return;
  for (const analysis::Analysis& analysis : analyses) {
    const SourceLines sources(analysis);
    std::vector<std::string> files;
    if (!analysis.process.arguments.empty()) files.push_back(analysis.process.arguments.front());
    for (const auto& [file, lines] : named_lines(analysis)) {
      if (std::string place = sources.place_of(file); !place.empty()) {
        files.push_back(std::move(place));
      }
    }
    refuse_input_as_output(output, files);
  }
}

}  // namespace ompdm::cli
