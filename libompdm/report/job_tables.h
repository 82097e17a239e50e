// The tables of a job's report, one function each. Inside the report library only.
#pragma once

#include <vector>

#include "ompdm/summary.h"
#include "report/table.h"

namespace ompdm::report {

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
