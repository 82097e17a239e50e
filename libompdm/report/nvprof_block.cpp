#include "report/nvprof_block.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "report/units.h"

namespace ompdm::report {
namespace {

/// Columns before the name, without a rank.
constexpr std::size_t kNameAt = 16 + 9 + 5 * 10 + 2;
constexpr std::size_t kLeastName = 24;

void append_rows(const std::vector<analysis::Activity>& rows, const char* title,
                 const std::string& rank, const SourceNames& names, std::size_t name_width,
                 std::string& text) {
  for (const analysis::Activity& row : rows) {
    const std::string model = row.clock == Clock::kModel ? " (model)" : "";
    const std::string share = row.percent ? percent_text(*row.percent) : "enqueue";
    fmt::format_to(std::back_inserter(text),
                   "{}{:>16}  {:>7}  {:>8}  {:>8}  {:>8}  {:>8}  {:>8}  {}\n", rank,
                   &row == rows.data() ? title : "", share, time_text(row.total), row.count,
                   time_text(row.average), time_text(row.minimum), time_text(row.maximum),
                   shortened(names.activity(row) + model, name_width));
  }
}

}  // namespace

std::string nvprof_block(Analyses analyses, const SourceNames& names, std::size_t width) {
  const Ranks ranks = ranks_of(analyses);
  constexpr std::size_t kRankWidth = 9;
  const std::size_t name_at = kNameAt + (ranks.key.empty() ? 0 : kRankWidth);
  const std::size_t name_width = width > name_at + kLeastName ? width - name_at : kLeastName;
  std::string text;
  if (!ranks.key.empty())
    text = fmt::format("{:>{}}", ranks.key == "rank" ? "Rank" : "PID", kRankWidth);
  text += "            Type  Time(%)      Time     Calls       Avg       Min       Max  Name\n";
  for (std::size_t i = 0; i < analyses.size(); ++i) {
    const std::string rank =
        ranks.key.empty() ? std::string() : fmt::format("{:>{}}", ranks.labels[i], kRankWidth);
    append_rows(analyses[i].activities, " GPU activities:", rank, names, name_width, text);
    append_rows(analyses[i].api_calls, "      API calls:", rank, names, name_width, text);
  }
  return text;
}

}  // namespace ompdm::report
