#include "report/nvprof_block.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

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

/// A row, and how many kernels of a function it stands for.
struct Told {
  analysis::Activity row;
  std::size_t kernels = 1;
};

/// Takes in what another kernel of the same function took.
void fold(const analysis::Activity& more, Told& told) {
  analysis::Activity& row = told.row;
  ++told.kernels;
  row.count += more.count;
  row.total += more.total;
  row.minimum = std::min(row.minimum, more.minimum);
  row.maximum = std::max(row.maximum, more.maximum);
  row.average = row.total / static_cast<Nanoseconds>(std::max<std::uint64_t>(row.count, 1));
  if (row.percent && more.percent) *row.percent += *more.percent;
}

std::vector<Told> told_rows(const std::vector<analysis::Activity>& rows, std::size_t most) {
  std::vector<Told> told;
  std::map<std::pair<std::string, Clock>, std::size_t> known;  // by function
  for (const analysis::Activity& row : rows) {
    const bool folds = most > 0 && rows.size() > most &&
                       row.type == analysis::ActivityType::kKernel && !row.function.empty();
    const auto at = folds ? known.try_emplace({row.function, row.clock}, told.size())
                          : std::pair(known.end(), true);
    if (at.second) {
      told.push_back({row});
    } else {
      fold(row, told[at.first->second]);
    }
  }
  std::ranges::stable_sort(told, std::ranges::greater(),
                           [](const Told& one) { return one.row.total; });
  return told;
}

std::string name_of(const Told& told, const SourceNames& names) {
  if (told.kernels == 1) return names.activity(told.row);
  return fmt::format("{} ({} kernels)", without_parameters(told.row.function), told.kernels);
}

void append_rows(const std::vector<analysis::Activity>& all, std::size_t most, const char* title,
                 const std::string& rank, const SourceNames& names, const Columns& columns,
                 std::string& text) {
  std::vector<Told> rows = told_rows(all, most);
  std::size_t hidden = 0;
  // Of copies there are few kinds, and they are what this is about.
  for (std::size_t at = rows.size(); most > 0 && rows.size() > most && at-- > 0;) {
    if (rows[at].row.type != analysis::ActivityType::kKernel) continue;
    rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(at));
    ++hidden;
  }
  for (const Told& told : rows) {
    const analysis::Activity& row = told.row;
    const std::string model = row.clock == Clock::kModel ? " (model)" : "";
    const std::string figures[] = {spoken_time(row.total), fmt::format("{}", row.count),
                                   spoken_time(row.average), spoken_time(row.minimum),
                                   spoken_time(row.maximum)};
    fmt::format_to(std::back_inserter(text), "{}{:>{}}{:>{}}", rank,
                   &told == rows.data() ? title : "", kTypeWidth,
                   row.percent ? percent_text(*row.percent) : "enqueue", kShareWidth);
    for (std::size_t i = 0; i < columns.figures; ++i) {
      fmt::format_to(std::back_inserter(text), "{:>{}}", figures[i], kFigureWidth);
    }
    text += "  ";
    const auto lines = set_in_lines(name_of(told, names) + model, columns.name_width);
    for (const std::string& line : lines) {
      if (&line != lines.data()) text += std::string(columns.name_at, ' ');
      text += line + '\n';
    }
  }
  if (hidden > 0) {
    text += fmt::format("{:>{}} ... and {} more rows: --all shows them\n", "", kTypeWidth, hidden);
  }
}

/// What played the device: nvprof's words are of GPUs.
const char* device_title(const analysis::Analysis& one) {
  const bool emulates = std::ranges::any_of(one.devices, &Device::emulated);
  const bool is_real = std::ranges::any_of(
      one.devices, [](const Device& device) { return !device.is_host && !device.emulated; });
  return emulates && !is_real ? "Host device:" : "GPU activities:";
}

}  // namespace

std::string nvprof_block(Analyses analyses, const SourceNames& names, std::size_t width,
                         std::size_t most_rows) {
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
    append_rows(analyses[i].activities, most_rows, device_title(analyses[i]), rank, names, columns,
                text);
    append_rows(analyses[i].api_calls, most_rows, "API calls:", rank, names, columns, text);
  }
  return text;
}

}  // namespace ompdm::report
