// What devices did for what is counted and not told (spool/tally.h), as CUPTI tells it: one tally
// for each sort of activity of each owner, with its example inside.
#pragma once

#include "spool/activities.h"
#include "spool/tally.h"

namespace ompdm::spool {

/// Which of the two examples is there, in Head::flags.
enum class ActivityTallyOf : std::uint8_t { kKernel, kMemory };

/// `tally.lane` is the lane that kernels' names are of; there is no example in it. Times are on
/// CUPTI's clock, as activities' are.
struct ActivityTally {
  Tally tally;
  LaneId owner_lane;    ///< whose example names who asked for these activities
  std::uint32_t owner;  ///< its number; 0: nobody that is known
  KernelActivity kernel;
  MemoryActivity memory;
};
static_assert(sizeof(ActivityTally) == 1592);

}  // namespace ompdm::spool
