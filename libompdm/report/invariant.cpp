#include "report/invariant.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace ompdm::report {
namespace {

/// Less than one part in this many is a scalar that rides along: not worth a line.
constexpr std::uint64_t kLeastShare = 100;

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

}  // namespace

std::vector<std::string> invariant_sentences(Analyses analyses, const SourceNames& names) {
  const Ranks ranks = ranks_of(analyses);
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < analyses.size(); ++i) {
    for (const analysis::Iteration& row : analyses[i].iterations) {
      const std::uint64_t invariant = row.invariant_bytes.value_or(0);
      const std::uint64_t whole =
          std::max(row.steady.htod_bytes + row.steady.dtoh_bytes, invariant);
      if (invariant == 0 || invariant < whole / kLeastShare) continue;
      std::vector<std::string> places;
      for (const std::size_t directive : row.directives) {
        places.push_back(names.place(analyses[i].directives[directive]));
      }
      lines.push_back(
          fmt::format("{}{} per iteration never changes: loop over {}",
                      ranks.key.empty() ? "" : fmt::format("{} {}: ", ranks.key, ranks.labels[i]),
                      part_of(invariant, whole), fmt::join(places, ", ")));
    }
  }
  return lines;
}

}  // namespace ompdm::report
