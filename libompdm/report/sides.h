// Two recordings and which of their rows belong together: what everything that shows a comparison
// starts from. Inside the report library only.
#pragma once

#include <span>
#include <vector>

#include "ompdm/analysis.h"
#include "ompdm/comparison.h"
#include "report/source_names.h"

namespace ompdm::report {

/// Refers to the recordings, which must outlive it.
struct Sides {
  explicit Sides(std::span<const analysis::Analysis, 2> recordings)
      : before(recordings[0]),
        after(recordings[1]),
        pairs(analysis::compare(before, after)),
        names(recordings) {}

  const analysis::Analysis& before;
  const analysis::Analysis& after;
  analysis::Comparison pairs;
  SourceNames names;
};

/// A pair's row in one of the two tables; null if it has none there.
template <class Row>
const Row* row_at(const std::vector<Row>& rows, std::size_t position) {
  return position == analysis::kNoRow ? nullptr : &rows[position];
}

}  // namespace ompdm::report
