// What a recording counted and did not tell event by event: the part of the run before or after the
// window that was asked for, or after its spool had reached its limit. Part of the trace model
// (ompdm/trace.h).
#pragma once

#include <cstdint>

#include "ompdm/activities.h"
#include "ompdm/distribution.h"
#include "ompdm/events.h"

namespace ompdm {

/// Regions of one directive, reached in one way by one thread. `like` is one of them.
struct RegionTally {
  Region like;
  Distribution times;  ///< nanoseconds
  bool operator==(const RegionTally&) const = default;
};

/// Operations of one kind, of one mapped item of such regions, or of one API call's place. `like`
/// is one of them: its `region` is none, its `path` the call path also where they are of regions.
struct OpTally {
  DataOp like;
  std::uint64_t calls = 0;  ///< API calls that they are of, without one of which some are told in
                            ///< rows of their own; 0: they are of regions, or of no other call
  std::uint64_t bytes = 0;  ///< in all
  std::uint64_t least_bytes = 0;
  std::uint64_t most_bytes = 0;
  Distribution times;
  bool operator==(const OpTally&) const = default;
};

/// Launches of the kernel of such regions. `like` is one of them: its `region` is none.
struct LaunchTally {
  Launch like;
  Index<CallPath> path;
  Distribution times;
  bool operator==(const LaunchTally&) const = default;
};

/// What devices did for such operations or launches (CUPTI), of one kind and name, between one pair
/// of kinds of memory. `like` is one of them: it refers to no operation, launch or region.
struct ActivityTally {
  DeviceActivity like;
  Index<OpTally> op;  ///< whose work it is, a position in Trace::op_tallies
  Index<LaunchTally> launch;
  std::uint64_t bytes = 0;  ///< in all
  std::uint64_t least_bytes = 0;
  std::uint64_t most_bytes = 0;
  Distribution times;  ///< on the device's clock
  bool operator==(const ActivityTally&) const = default;
};

}  // namespace ompdm
