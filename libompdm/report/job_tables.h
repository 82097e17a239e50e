// Tables of a job of many ranks. Inside the report library only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ompdm/summary.h"
#include "report/table.h"

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

/// Walls and times per rank, of what took any: sum, least, median and most with their ranks.
Table job_times(const summary::Summary& job);
Table job_bytes(const summary::Summary& job);
Table job_counts(const summary::Summary& job);
Table job_hosts(const summary::Summary& job);
Table job_outliers(const summary::Summary& job);
Table job_directives(const summary::Summary& job);
Table job_variables(const summary::Summary& job);
Table job_loops(const summary::Summary& job);
Table job_findings(const summary::Summary& job);
Table job_losses(const summary::Summary& job);

/// All of the above in the report's order, empty ones too.
std::vector<Table> job_tables(const summary::Summary& job);

/// The rank in which a finding wastes most.
std::int32_t look_at_rank(const summary::Row& finding);

/// The ranks that came to the line that a finding is at, whether they have it or not; all, where it
/// is at none. An edit there is made for all of them.
summary::RankSet ranks_at(const summary::Summary& job, const summary::Row& finding);

/// "heat.cpp:41"; a module where there is no line.
std::string place_of(const summary::Row& row);

/// A figure of a row; none of its ranks has it if it is not there.
const summary::Figure& figure_of(const summary::Row& row, const std::string& name);

/// The rows by what they moved, then by their times; of findings by what they wasted.
std::vector<const summary::Rows::value_type*> heaviest_first(const summary::Rows& rows);

}  // namespace ompdm::report
