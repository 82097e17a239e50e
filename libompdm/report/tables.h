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

/// Whether these are runs of one program on several inputs (analysis::agree).
inline bool are_inputs(Analyses analyses) { return analyses.front().run > 0; }

/// Bytes of all transfers of a row or of totals.
template <class Flows>
std::uint64_t moved_bytes(const Flows& flows) {
  return flows.htod.bytes + flows.dtoh.bytes + flows.dtod.bytes;
}

/// The sums of a run, under their names for programs.
struct NamedFlow {
  const char* name;
  analysis::Flow analysis::Totals::* flow;
  bool has_bytes;
};
inline constexpr NamedFlow kFlows[] = {
    {"HtoD", &analysis::Totals::htod, true},
    {"DtoH", &analysis::Totals::dtoh, true},
    {"DtoD", &analysis::Totals::dtod, true},
    {"memset", &analysis::Totals::memset, true},
    {"alloc", &analysis::Totals::alloc, true},
    {"delete", &analysis::Totals::remove, true},
    {"kernel", &analysis::Totals::kernel, false},
    {"region", &analysis::Totals::region, false},
    {"runtime_internal", &analysis::Totals::runtime_internal, true}};

/// How recordings are told apart when there are several.
struct Ranks {
  /// "run" of runs on several inputs, "rank", or "pid" where ranks are missing or not distinct;
  /// empty: one recording.
  std::string key;
  std::string title;                 ///< of the tables' first column
  std::vector<std::int64_t> labels;  ///< by recording
};
Ranks ranks_of(Analyses analyses);

/// "rank 3: ", for a sentence about one of several recordings; empty if there is one.
std::string prefix(const Ranks& ranks, std::size_t recording);

/// Where the rows of each recording begin in the report's table of directives, which has the rows
/// of all recordings one after the other.
std::vector<std::size_t> directive_offsets(Analyses analyses);

/// Totals of all recordings together.
analysis::Totals totals_of(Analyses analyses);

Table traces_table(Analyses analyses);
Table totals_table(Analyses analyses);
Table activities_table(Analyses analyses, const SourceNames& names, bool api_calls);
/// `opened`: for readers, each row is followed by the figures of each call path to it.
Table directives_table(Analyses analyses, const SourceNames& names, bool opened);
/// The known call paths of all directives, for programs.
Table directive_paths_table(Analyses analyses);
/// That directives' rows can be opened; empty if each has one call path.
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

/// All of the above, in the report's order. Empty tables are among them, except for the link and
/// those that only device activities fill. `opened`: of the directives.
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

/// Bytes or a number of transfers; unknown if the runtime reports no transfers.
inline Cell moved(const analysis::Analysis& one, std::uint64_t value) {
  return analysis::knows_transfers(one) ? number(value) : Cell();
}

/// A duration; unknown if transfers are, and "enqueue" if only their submission was timed.
inline Cell timed(const analysis::Analysis& one, bool known, Nanoseconds duration) {
  if (!analysis::knows_transfers(one)) return {};
  return known ? Cell(std::int64_t{duration}) : Cell(std::string("enqueue"));
}

}  // namespace ompdm::report
