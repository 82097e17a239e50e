// The two rows of a pair, either of which may be missing. Inside the report library only.
#pragma once

#include <vector>

#include "report/pair_table.h"
#include "report/sides.h"

namespace ompdm::report {

/// The pair's rows, and what is told of each of them.
template <class Row>
struct Both {
  const Sides& sides;
  const Row* before;
  const Row* after;

  Both(const Sides& of, const std::vector<Row>& before_rows, const std::vector<Row>& after_rows,
       const analysis::RowPair& pair)
      : sides(of),
        before(row_at(before_rows, pair.before)),
        after(row_at(after_rows, pair.after)) {}

  /// `figure(analysis, row)` on each side that has the row.
  template <class Figure>
  [[nodiscard]] TwoCells each(Figure figure) const {
    return {before != nullptr ? Cell(figure(sides.before, *before)) : Cell(),
            after != nullptr ? Cell(figure(sides.after, *after)) : Cell()};
  }
  [[nodiscard]] const Row& either() const { return *(after != nullptr ? after : before); }
};

}  // namespace ompdm::report
