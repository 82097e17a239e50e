// What each directive's instances come to, by the calls that led to them. Inside the analysis
// library only.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "ompdm/directives.h"
#include "ompdm/trace.h"

namespace ompdm::analysis {

/// Sums by row of the directive table and by call path.
class DirectivePaths {
 public:
  explicit DirectivePaths(const Trace& trace) : trace_(trace) {}

  /// What the instances of a row that one path led to have come to so far.
  DirectiveFigures& at(std::uint32_t row, Index<CallPath> path) {
    return sums_[std::uint64_t{row} << 32U | path.value];
  }

  /// Gives the rows their paths, as far as the source tells them apart, and the sum of these.
  void give_to(std::vector<DirectiveRow>& rows) const;

 private:
  const Trace& trace_;
  std::unordered_map<std::uint64_t, DirectiveFigures> sums_;
};

}  // namespace ompdm::analysis
