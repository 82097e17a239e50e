#pragma once

#include <optional>
#include <vector>

#include "analysis/tables.h"

namespace ompdm::analysis {

struct Needless {
  /// What would save most time first; their variables are positions in Trace::variables.
  std::vector<Finding> findings;
  Withheld withheld;
  std::vector<Finding> too_small;  ///< those withheld
  std::vector<Doubt> doubts;
  std::optional<Prediction> prediction;           ///< without what is certain or likely
  std::optional<Prediction> possible_prediction;  ///< and without what is possible only
  /// By position in Trace::ops: position in `findings` of the first that claims it, kNoFinding.
  std::vector<std::uint32_t> finding_of_op;
  static constexpr std::uint32_t kNoFinding = 0xffffffff;
};

/// `loops` as loops_of() gives them.
Needless find_needless(const Trace& trace, const DirectiveTable& directives,
                       const LoopTable& loops);

}  // namespace ompdm::analysis
