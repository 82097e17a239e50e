// Examples of what was counted: rows of a draft like any other until all is known of them, then the
// tallies' own.
#pragma once

#include <cstdint>
#include <vector>

#include "ompdm/distribution.h"
#include "spool/ids.h"
#include "spool/tally.h"

namespace ompdm::trace {

struct Draft;

/// An example's rows are of a thread of their own meanwhile, so that no step takes them for what
/// happened among others: from this number on.
inline constexpr std::uint32_t kFirstExample = std::uint32_t{1} << 31U;

/// One example's tally, and which thread it was of.
struct TallyNote {
  std::uint32_t thread = 0;
  bool is_known = false;  ///< its tally was read
  spool::TallyOf of = spool::TallyOf::kRegion;
  std::uint64_t calls = 0;
  std::uint64_t bytes = 0;
  std::uint64_t least_bytes = 0;
  std::uint64_t most_bytes = 0;
  Distribution times;
  std::uint32_t joined = kNotJoined;  ///< the one that it is the other half of
  /// What was made of it, positions in Trace::op_tallies and Trace::launch_tallies.
  std::vector<std::uint32_t> ops;
  std::vector<std::uint32_t> launches;
  static constexpr std::uint32_t kNotJoined = 0xffffffff;
};

/// Takes the examples out of the draft's rows, and makes the trace's tallies of them.
void take_examples(Draft& draft);

}  // namespace ompdm::trace
