// The table of loops, and what never changes in their passes. Inside the analysis library only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/repeats.h"
#include "analysis/tables.h"
#include "ompdm/analysis.h"

namespace ompdm::analysis {

/// What of a loop's movement was the same in every pass that was looked at.
struct Invariant {
  std::uint64_t bytes = 0;         ///< a pass, both ways
  std::vector<std::string> items;  ///< "a (jacobi.cpp:75)", those with most bytes first
  /// What each of them stands for, variables as positions in Trace::variables.
  std::vector<CrossedItem> rows;
  std::vector<Recurring> recurring;  ///< that changed now and then, those with most bytes first
};

/// One for each loop of loops_of(); none for loops of which no content was compared. A piece is
/// host storage that crosses to or from one device; each entry into a loop is looked at by itself.
std::vector<std::optional<Invariant>> invariants_of(const Trace& trace, const LoopTable& loops,
                                                    const DirectiveTable& directives);

}  // namespace ompdm::analysis
