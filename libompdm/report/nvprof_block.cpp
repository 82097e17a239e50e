#include "report/nvprof_block.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "report/fitted_text.h"
#include "report/table.h"
#include "report/units.h"

namespace ompdm::report {
namespace {

constexpr std::size_t kTypeWidth = 16;
constexpr std::size_t kShareWidth = 9;
constexpr std::size_t kFigureWidth = 10;
constexpr std::size_t kRankWidth = 9;
constexpr std::size_t kLeastName = 24;
constexpr const char* kFigures[] = {"Time", "Calls", "Avg", "Min", "Max"};

/// Where the name begins, and how many figures there is room for before it.
struct Columns {
  std::size_t figures = std::size(kFigures);
  std::size_t name_at = 0;
  std::size_t name_width = kLeastName;
};

Columns columns_of(std::size_t width, bool ranks) {
  constexpr std::size_t kLeastFigures = 2;
  Columns columns;
  for (;; --columns.figures) {
    columns.name_at =
        (ranks ? kRankWidth : 0) + kTypeWidth + kShareWidth + columns.figures * kFigureWidth + 2;
    if (columns.name_at + kLeastName <= width) columns.name_width = width - columns.name_at;
    if (columns.name_at + kLeastName <= width || columns.figures == kLeastFigures) return columns;
  }
}

void append_rows(const std::vector<analysis::Activity>& rows, const char* title,
                 const std::string& rank, const SourceNames& names, const Columns& columns,
                 std::string& text) {
  for (const analysis::Activity& row : rows) {
    const std::string model = row.clock == Clock::kModel ? " (model)" : "";
    const std::string figures[] = {time_text(row.total), fmt::format("{}", row.count),
                                   time_text(row.average), time_text(row.minimum),
                                   time_text(row.maximum)};
    fmt::format_to(std::back_inserter(text), "{}{:>{}}{:>{}}", rank,
                   &row == rows.data() ? title : "", kTypeWidth,
                   row.percent ? percent_text(*row.percent) : "enqueue", kShareWidth);
    for (std::size_t i = 0; i < columns.figures; ++i) {
      fmt::format_to(std::back_inserter(text), "{:>{}}", figures[i], kFigureWidth);
    }
    text += "  ";
    const auto lines = set_in_lines(names.activity(row) + model, columns.name_width);
    for (const std::string& line : lines) {
      if (&line != lines.data()) text += std::string(columns.name_at, ' ');
      text += line + '\n';
    }
  }
}

}  // namespace

std::string nvprof_block(Analyses analyses, const SourceNames& names, std::size_t width) {
  const Ranks ranks = ranks_of(analyses);
  const Columns columns = columns_of(width, !ranks.key.empty());
  std::string text;
  if (!ranks.key.empty()) text = fmt::format("{:>{}}", ranks.title, kRankWidth);
  fmt::format_to(std::back_inserter(text), "{:>{}}{:>{}}", "Type", kTypeWidth, "Time(%)",
                 kShareWidth);
  for (std::size_t i = 0; i < columns.figures; ++i) {
    fmt::format_to(std::back_inserter(text), "{:>{}}", kFigures[i], kFigureWidth);
  }
  text += "  Name\n";
  for (std::size_t i = 0; i < analyses.size(); ++i) {
    const std::string rank =
        ranks.key.empty() ? std::string() : fmt::format("{:>{}}", ranks.labels[i], kRankWidth);
    append_rows(analyses[i].activities, " GPU activities:", rank, names, columns, text);
    append_rows(analyses[i].api_calls, "      API calls:", rank, names, columns, text);
  }
  return text;
}

}  // namespace ompdm::report
