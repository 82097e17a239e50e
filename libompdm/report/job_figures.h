// What is said of one figure of a job's ranks: how unequal they are, and which are far from the
// others. Inside the report library only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ompdm/summary.h"

namespace ompdm::report {

/// Most over mean: how much longer the job waits for that rank than it would if all had an equal
/// share. 1 if nothing is there.
double imbalance_of(const summary::Figure& figure);

/// Ranks of the job of which there is nothing: what could not be read is there.
summary::RankSet missing_ranks(const summary::Summary& job);

/// Ranks that were not told event by event to their end.
struct ToldRanks {
  summary::RankSet counted;  ///< of which nothing is told
  summary::RankSet in_part;
  summary::RankSet parts;  ///< of which a part of the run is here, and nothing of the rest
};
ToldRanks told_ranks(const summary::Summary& job);

/// A rank that is far from the others.
struct Outlier {
  std::string figure;  ///< as in the summary's totals
  std::int32_t rank = -1;
  std::uint64_t value = 0;
  std::uint64_t median = 0;
  bool above = true;
  std::uint64_t alike = 1;  ///< ranks that are surely as far out on that side, itself too
};

/// By Tukey's rule: beyond the quartiles by three times their distance, and by a quarter of the
/// median at least, which is what a histogram can tell; of four ranks or more. On each side the
/// farthest is named.
std::vector<Outlier> outliers_of(const summary::Summary& job);

/// How the rule is told.
inline constexpr const char* kOutlierRule =
    "more than 3 times the quartiles' distance beyond them, and a quarter off the median";

}  // namespace ompdm::report
