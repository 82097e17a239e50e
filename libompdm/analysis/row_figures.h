// The figures of a report's rows, by the names that they have in JSON. There is one list a table,
// for comparisons of versions and for summaries of ranks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ompdm/analysis.h"

namespace ompdm::analysis {

/// A figure of a row or of a whole recording.
struct RowFigure {
  std::string name;                   ///< "HtoD_bytes", "transfer_ns"
  std::optional<std::int64_t> value;  ///< bytes, a count or nanoseconds; none if not known
  bool only_enqueued = false;         ///< a time that is not known since only enqueueing was timed
};
using RowFigures = std::vector<RowFigure>;

/// `of`: the recording that the row is of. Without transfers in it (knows_transfers) bytes, counts
/// and times of operations are not known.
RowFigures figures_of(const Analysis& of, const Activity& row);
RowFigures figures_of(const Analysis& of, const DirectiveRow& row);
RowFigures figures_of(const Analysis& of, const VariableRow& row);
RowFigures figures_of(const Analysis& of, const LoopRow& row);  ///< bytes and times of an iteration
RowFigures figures_of(const Analysis& of, const Finding& row);

/// Totals, walls and unions of time. Unions are of the part of the run that was recorded as events.
RowFigures figures_of(const Analysis& of);

}  // namespace ompdm::analysis
