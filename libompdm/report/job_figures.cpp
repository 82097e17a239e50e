#include "report/job_figures.h"

#include <algorithm>

namespace ompdm::report {
namespace {

constexpr double kFar = 3;
constexpr double kLeastPart = 0.25;
constexpr std::uint64_t kFewest = 4;

/// Shares of other figures, which are far out where these are.
bool is_told_by_others(const std::string& figure) {
  return figure.starts_with("runtime_internal") || figure.ends_with("_union_ns") ||
         figure == "program_wall_ns" || figure == "region_ns";
}

/// Whole bins beyond a limit.
std::uint64_t ranks_above(const Distribution& ranks, double limit) {
  std::uint64_t count = 0;
  for (std::size_t bin = 0; bin < Distribution::kBins; ++bin) {
    if (static_cast<double>(bin_begin(bin)) > limit) count += ranks.bins[bin];
  }
  return std::max<std::uint64_t>(count, 1);
}

std::uint64_t ranks_below(const Distribution& ranks, double limit) {
  std::uint64_t count = 0;
  for (std::size_t bin = 0; bin + 1 < Distribution::kBins; ++bin) {
    if (static_cast<double>(bin_begin(bin + 1)) <= limit) count += ranks.bins[bin];
  }
  return std::max<std::uint64_t>(count, 1);
}

}  // namespace

double imbalance_of(const summary::Figure& figure) {
  const double mean = figure.ranks.mean();
  return mean > 0 ? static_cast<double>(figure.ranks.most) / mean : 1;
}

summary::RankSet missing_ranks(const summary::Summary& job) {
  summary::RankSet known = job.ranks;
  for (const auto& [why, ranks] : job.unread) known.add(ranks);
  return known.missing(job.rank_count);
}

ToldRanks told_ranks(const summary::Summary& job) {
  ToldRanks told;
  const auto details = job.facts.find("detail");
  if (details == job.facts.end()) return told;
  for (const auto& [detail, ranks] : details->second) {
    (detail == "tallies"          ? told.counted
     : detail == Recording::kPart ? told.parts
                                  : told.in_part)
        .add(ranks);
  }
  return told;
}

std::vector<Outlier> outliers_of(const summary::Summary& job) {
  std::vector<Outlier> outliers;
  for (const auto& [name, figure] : job.totals) {
    const Distribution& ranks = figure.ranks;
    if (ranks.count < kFewest || is_told_by_others(name)) continue;
    const auto lower = static_cast<double>(ranks.quantile(0.25));
    const auto upper = static_cast<double>(ranks.quantile(0.75));
    const auto median = static_cast<double>(ranks.median());
    const double reach = kFar * (upper - lower);
    const double high = std::max(upper + reach, median * (1 + kLeastPart));
    const double low = std::min(lower - reach, median * (1 - kLeastPart));
    if (static_cast<double>(ranks.most) > high) {
      outliers.push_back(
          {name, figure.most_rank, ranks.most, ranks.median(), true, ranks_above(ranks, high)});
    }
    if (static_cast<double>(ranks.least) < low) {
      outliers.push_back(
          {name, figure.least_rank, ranks.least, ranks.median(), false, ranks_below(ranks, low)});
    }
  }
  return outliers;
}

}  // namespace ompdm::report
