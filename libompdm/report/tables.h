// The report's tables, one function each, built from figures. With several recordings each has a
// first column that names the recording.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ompdm/analysis.h"
#include "report/source_names.h"
#include "report/table.h"

namespace ompdm::report {

using Analyses = std::span<const analysis::Analysis>;

/// How recordings are told apart when there are several.
struct Ranks {
  /// "run" of runs on several inputs, "rank", or "pid" where ranks are missing or not distinct;
  /// empty: one recording.
  std::string key;
  std::string title;                 ///< of the tables' first column
  std::vector<std::int64_t> labels;  ///< by recording
};
Ranks ranks_of(Analyses analyses);

/// A recording's name before what is said of it, when there are several.
std::string prefix(const Ranks& ranks, std::size_t recording);

/// Where each recording's directive rows begin in the report's, whose rows are all of them in turn.
std::vector<std::size_t> directive_offsets(Analyses analyses);

/// Totals of all recordings together.
analysis::Totals totals_of(Analyses analyses);

Table traces_table(Analyses analyses);
Table totals_table(Analyses analyses);
Table activities_table(Analyses analyses, const SourceNames& names, bool api_calls);
/// `opened`: beneath each row what each call path that led there came to, for readers.
Table directives_table(Analyses analyses, const SourceNames& names, bool opened);
/// All call paths that are known of all directives, for programs.
Table directive_paths_table(Analyses analyses);
/// Says that directives' rows can be opened; empty if each was reached in one way.
std::string openable(Analyses analyses);
Table variables_table(Analyses analyses, const SourceNames& names);
Table iterations_table(Analyses analyses, const SourceNames& names);
Table findings_table(Analyses analyses, const SourceNames& names);
Table device_use_table(Analyses analyses);
Table host_waits_table(Analyses analyses, const SourceNames& names);
Table start_latencies_table(Analyses analyses);
Table losses_table(Analyses analyses);

/// The model that transfers are timed on; without rows if they were measured.
Table link_table(Analyses analyses);

/// All of the above, in the report's order; empty ones too, but for the link and what only devices
/// tell. `opened`: of the directives.
std::vector<Table> all_tables(Analyses analyses, const SourceNames& names, bool opened);

}  // namespace ompdm::report
