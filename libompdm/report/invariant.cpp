#include "report/invariant.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <ranges>

namespace ompdm::report {
namespace {

/// Less than one part in this many, or this few bytes, is a scalar that rides along: not worth a
/// line.
constexpr std::uint64_t kLeastShare = 100;
constexpr std::uint64_t kLeastBytes = 256;
constexpr std::size_t kMostRecurring = 3;  // of a loop

/// "a (jacobi.cpp:75), b (jacobi.cpp:75) and 2 more".
std::string named(const std::vector<std::string>& items) {
  constexpr std::size_t kMost = 3;
  const auto shown = items | std::views::take(kMost);
  std::string text = fmt::format("{}", fmt::join(shown, ", "));
  if (items.size() > kMost) text += fmt::format(" and {} more", items.size() - kMost);
  return text;
}

/// "134.3 of 134.4 MB": both in the unit of the whole, with as many decimals as tell them apart.
std::string part_of(std::uint64_t part, std::uint64_t whole) {
  constexpr const char* kUnits[] = {"B", "KB", "MB", "GB", "TB"};
  double scale = 1;
  std::size_t unit = 0;
  while (static_cast<double>(whole) >= 1000 * scale && unit + 1 < std::size(kUnits)) {
    scale *= 1000;
    ++unit;
  }
  if (unit == 0) return fmt::format("{} of {} B", part, whole);
  std::string of_part;
  std::string of_whole;
  for (int decimals = 1; of_part == of_whole && decimals <= 3; ++decimals) {
    of_part = fmt::format("{:.{}f}", static_cast<double>(part) / scale, decimals);
    of_whole = fmt::format("{:.{}f}", static_cast<double>(whole) / scale, decimals);
    if (part == whole) break;
  }
  return fmt::format("{} of {} {}", of_part, of_whole, kUnits[unit]);
}

/// "; loop at heat.cpp:54 in solve"; "; loop over heat.cpp:56" where only its directives are known;
/// empty of the only one.
std::string loop_of(const analysis::Analysis& one, const analysis::Iteration& row,
                    const SourceNames& names) {
  if (one.iterations.size() == 1) return {};
  if (row.from_code && row.line > 0) return "; loop at " + names.place(row);
  if (row.from_code && row.inside > 0) return "; loop " + names.place(row);
  std::vector<std::string> places;
  for (const std::size_t directive : row.directives) {
    places.push_back(names.place(one.directives[directive]));
  }
  return fmt::format("; loop over {}", fmt::join(places, ", "));
}

/// Whether the edits of a finding of that loop keep it on the device, which says more.
bool is_kept(const analysis::Analysis& one, const analysis::Iteration& row,
             const analysis::Recurring& data) {
  const auto loop = static_cast<std::size_t>(&row - one.iterations.data());
  return std::ranges::any_of(one.findings, [&](const analysis::Finding& finding) {
    return !finding.edits.empty() &&
           std::ranges::find(finding.loops, loop) != finding.loops.end() &&
           !data.of.variables.empty() &&
           std::ranges::all_of(data.of.variables, [&](std::size_t variable) {
             return std::ranges::find(finding.variables, variable) != finding.variables.end();
           });
  });
}

std::uint64_t whole_of(const analysis::Iteration& row) {
  return std::max(row.steady.htod_bytes + row.steady.dtoh_bytes, row.invariant_bytes.value_or(0));
}

}  // namespace

bool has_invariant(const analysis::Iteration& row) {
  const std::uint64_t invariant = row.invariant_bytes.value_or(0);
  return invariant >= kLeastBytes && invariant >= whole_of(row) / kLeastShare;
}

/// "a (jacobi.cpp:75) unchanged in 11034 of 11040 transfers that were compared, 66.2 MB in all".
std::string recurring_text(const analysis::Recurring& row) {
  return fmt::format("{}{} unchanged in {} of {} transfers that were compared, {} in all", row.item,
                     row.item.empty() ? "data" : "", row.unchanged, row.compared,
                     spoken_size(row.bytes));
}

std::vector<std::string> invariant_sentences(Analyses analyses, const SourceNames& names) {
  const Ranks ranks = ranks_of(analyses);
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < analyses.size(); ++i) {
    for (const analysis::Iteration& row : analyses[i].iterations) {
      const std::string loop = loop_of(analyses[i], row, names);
      const std::string rank = prefix(ranks, i);
      for (const analysis::Recurring& each : row.recurring | std::views::take(kMostRecurring)) {
        const bool is_small = each.bytes < kLeastBytes * each.compared;
        if (is_small || is_kept(analyses[i], row, each)) continue;
        lines.push_back(rank + recurring_text(each) + loop);
      }
      if (!has_invariant(row)) continue;
      lines.push_back(
          fmt::format("{}{} a pass never changes{}{}", rank,
                      part_of(row.invariant_bytes.value_or(0), whole_of(row)),
                      row.invariant_items.empty() ? "" : ": " + named(row.invariant_items), loop));
    }
  }
  return lines;
}

}  // namespace ompdm::report
