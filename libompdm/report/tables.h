// The tables of a report. Inside the report library only.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
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

/// A table whose rows are put together from those of each recording.
class TableBuilder {
 public:
  TableBuilder(Analyses analyses, Table table)
      : ranks_(ranks_of(analyses)), table_(std::move(table)) {
    if (ranks_.key.empty()) return;
    table_.columns.insert(table_.columns.begin(), {ranks_.key, ranks_.title, Unit::kCount});
  }

  void add(std::size_t recording, std::vector<Cell> row) {
    std::vector<Cell>& whole = table_.rows.emplace_back();
    whole.reserve(row.size() + 1);
    if (!ranks_.key.empty()) whole.push_back(ranks_.labels[recording]);
    for (Cell& cell : row) whole.push_back(std::move(cell));
  }

  Table take() { return std::move(table_); }

 private:
  Ranks ranks_;
  Table table_;
};

inline Cell number(std::uint64_t value) { return static_cast<std::int64_t>(value); }

/// Bytes or a number of transfers; unknown where the runtime reports none.
inline Cell moved(const analysis::Analysis& one, std::uint64_t value) {
  return analysis::knows_transfers(one) ? number(value) : Cell();
}

/// A duration that is known only if transfers are, and more than their enqueueing was timed.
inline Cell timed(const analysis::Analysis& one, bool known, Nanoseconds duration) {
  if (!analysis::knows_transfers(one)) return {};
  return known ? Cell(std::int64_t{duration}) : Cell(std::string("enqueue"));
}

}  // namespace ompdm::report
