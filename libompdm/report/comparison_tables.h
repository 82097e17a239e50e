// Tables of two reports side by side. Inside the report library only.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ompdm/analysis.h"
#include "ompdm/comparison.h"
#include "ompdm/report.h"
#include "ompdm/trace.h"
#include "report/source_names.h"
#include "report/table.h"

namespace ompdm::report {

/// Refers to the recordings, which must outlive it.
struct Sides {
  explicit Sides(std::span<const analysis::Analysis, 2> both)
      : recordings(both),
        before(both[0]),
        after(both[1]),
        pairs(analysis::compare(before, after)),
        names(both) {}

  /// The first and the last of several, which sentences call as the user does.
  Sides(std::span<const analysis::Analysis> all, std::string before_called,
        std::string after_called)
      : recordings(all),
        before(all.front()),
        after(all.back()),
        pairs(analysis::compare(before, after)),
        names(all),
        before_name(std::move(before_called)),
        after_name(std::move(after_called)) {}

  /// Whether both runs are told event by event throughout, and nothing is missing: else only what
  /// was counted, too, can be compared.
  [[nodiscard]] bool told_whole() const { return is_told_whole(before) && is_told_whole(after); }

  /// Whether the figures of both are those of whole runs: else none is so many times the other's.
  [[nodiscard]] bool are_whole() const {
    return why_not_whole(before).empty() && why_not_whole(after).empty();
  }

  std::span<const analysis::Analysis> recordings;
  const analysis::Analysis& before;
  const analysis::Analysis& after;
  analysis::Comparison pairs;
  SourceNames names;
  std::string before_name = "BEFORE";
  std::string after_name = "AFTER";
};

/// A pair's row in one of the two tables; null if it has none there.
template <class Row>
const Row* row_at(const std::vector<Row>& rows, std::size_t position) {
  return position == analysis::kNoRow ? nullptr : &rows[position];
}

/// Counts, bytes and times of all transfers, kernels and directives, and the wall.
Table compared_totals(const Sides& sides);
Table compared_directives(const Sides& sides);
Table compared_variables(const Sides& sides);
Table compared_kernels(const Sides& sides);
Table compared_loops(const Sides& sides);

/// What went, stays and came.
Table compared_findings(const Sides& sides);

/// All of the above, in this order; empty ones too.
std::vector<Table> compared_tables(const Sides& sides);

}  // namespace ompdm::report
