// What mappings of the same storage by the passes of a loop have more than one mapping around the
// loop would. Inside the analysis library only.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/findings/findings.h"

namespace ompdm::analysis {

/// What the mappings of one piece of storage, in one entry into a loop, have more than they need.
struct Surplus {
  std::vector<std::uint32_t> ops;
  std::vector<Rest> rests;
  std::uint64_t sent = 0, sent_enough = 0, returned = 0, returned_enough = 0;
  std::uint64_t bytes = 0;
  std::uint64_t backed_bytes = 0;  ///< that contents show to be needless, of some or of all passes
  std::uint64_t compared = 0, equal = 0;
  std::uint64_t equal_in_full = 0;  ///< all bytes were compared, not only blocks of them
  std::uint64_t examined = 0;
  std::uint64_t unread = 0;  ///< of the returns: needless unless the host read them
  /// More than now and then.
  [[nodiscard]] bool host_changes() const { return 4 * (compared - equal) > compared; }
};

/// Whether a directive has map clauses.
bool maps_data(Directive directive);

/// Whether a map clause made this transfer, and would not if the data were already there.
bool comes_of_mapping(const Trace& trace, const DataOp& op);

/// Of mappings (positions in Evidence::mappings) in the order of the passes.
Surplus surplus_of(const Evidence& evidence, const std::vector<std::uint32_t>& group);

}  // namespace ompdm::analysis
