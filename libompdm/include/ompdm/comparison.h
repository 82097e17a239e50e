// Two recordings side by side: which row of one is which row of the other. A pure function of two
// analyses; what their figures say together is left to whoever shows them.
#pragma once

#include <cstddef>
#include <vector>

#include "ompdm/analysis.h"

namespace ompdm::analysis {

/// Positions in the same table of two analyses; kNoRow where one of them has no such row.
struct RowPair {
  std::size_t before = kNoRow;
  std::size_t after = kNoRow;
  bool operator==(const RowPair&) const = default;
};

/// Each row of either analysis is in exactly one pair. Pairs are in the order of BEFORE's rows;
/// those that only AFTER has come last, in its own order.
struct Comparison {
  std::vector<RowPair> activities;
  std::vector<RowPair> directives;
  std::vector<RowPair> variables;
  std::vector<RowPair> iterations;
  std::vector<RowPair> findings;
};

/// Pairs rows by what does not move when a source is edited: a directive or kernel by its sort,
/// file and function, in order of lines where there are several (an equal line decides where one
/// side has more of them); then by sort and function in files of other names; then as the only one
/// of its sort left in a file on both sides. A variable by name and file, then by name; a finding
/// by pattern, variable and file; a loop by the directives that it shares with another.
Comparison compare(const Analysis& before, const Analysis& after);

}  // namespace ompdm::analysis
