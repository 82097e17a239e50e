// The tables of a report. Inside the report library only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <span>
#include <string>
#include <type_traits>
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

/// The sum of their durations.
template <class Flows>
Nanoseconds transfer_time(const Flows& flows) {
  return flows.htod.time + flows.dtoh.time + flows.dtod.time;
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

/// The lines of each recording, behind its prefix; empty lines are left out.
template <class LinesOf>
std::vector<std::string> prefixed(Analyses analyses, LinesOf lines_of) {
  const Ranks ranks = ranks_of(analyses);
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < analyses.size(); ++i) {
    for (const std::string& line : lines_of(analyses[i])) {
      if (!line.empty()) lines.push_back(prefix(ranks, i) + line);
    }
  }
  return lines;
}

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
Table loops_table(Analyses analyses, const SourceNames& names);
Table findings_table(Analyses analyses, const SourceNames& names);
Table memory_table(Analyses analyses, const SourceNames& names);
Table device_use_table(Analyses analyses);
Table copy_sizes_table(Analyses analyses);
Table host_waits_table(Analyses analyses, const SourceNames& names);
Table start_latencies_table(Analyses analyses);
Table losses_table(Analyses analyses);

/// The model that transfers are timed on; without rows if they were measured.
Table link_table(Analyses analyses);

/// All of the above, in the report's order. Empty tables are among them, except for the link and
/// those that only device activities fill. `opened`: of the directives.
std::vector<Table> all_tables(Analyses analyses, const SourceNames& names, bool opened);

/// A table of the rows of all recordings, with a first column that tells these apart. `rows_of`: of
/// a recording. `fill(TableRow&, recording, row)`: as for table_of().
template <class RowsOf, class Fill>
Table by_recording(Analyses analyses, std::string name, std::string title, RowsOf rows_of,
                   Fill fill) {
  using Rows = std::remove_cvref_t<std::invoke_result_t<RowsOf, const analysis::Analysis&>>;
  const Ranks ranks = ranks_of(analyses);
  const auto fill_of = [&](std::size_t recording) {
    return [&, recording](TableRow& cells, const std::ranges::range_value_t<Rows>& row) {
      if (!ranks.key.empty()) {
        cells.add({ranks.key, ranks.title, Unit::kCount}, ranks.labels[recording]);
      }
      fill(cells, analyses[recording], row);
    };
  };
  Table all = table_of(std::move(name), std::move(title), Rows(), fill_of(0));
  for (std::size_t i = 0; i < analyses.size(); ++i) {
    Table own = table_of({}, {}, std::invoke(rows_of, analyses[i]), fill_of(i));
    std::ranges::move(own.rows, std::back_inserter(all.rows));
  }
  return all;
}

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
