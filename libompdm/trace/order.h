// The draft's rows in the order of time (lanes are decoded one after the other), and what stands
// beside them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "trace/draft.h"

namespace ompdm::trace {

/// Takes from a column beside some rows what Runs::keep, which said where each row `moved` to, took
/// from these. An empty one stays so.
template <class Column>
void keep_beside(const std::vector<std::uint32_t>& moved, Column& column) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < column.size(); ++i) {
    if (moved[i] != kNoList) column[kept++] = std::move(column[i]);
  }
  column.resize(kept);
}

/// Puts regions, operations and launches in the order of their begin, and their references with
/// them.
void order_by_begin(Draft& draft);

/// Forgets what the changes of its events have left behind.
void tidy(Trace& trace);

}  // namespace ompdm::trace
