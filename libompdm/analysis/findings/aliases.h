// Which pieces of storage one name stood for in turn: pointers that are swapped, parameters of a
// function. Inside the analysis library only.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/findings/mappings.h"

namespace ompdm::analysis {

class Aliases {
 public:
  Aliases(const Trace& trace, const Mappings& mappings);

  /// The group that a mapping's storage belongs to: what a directive called by one name is in one
  /// group, and so are groups that have a piece in common.
  [[nodiscard]] std::uint32_t of(std::uint32_t mapping) const { return group_of_[mapping]; }

 private:
  std::vector<std::uint32_t> group_of_;  // by mapping
};

}  // namespace ompdm::analysis
