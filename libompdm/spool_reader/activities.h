// Device activities to operations and launches.
#pragma once

#include <cstdint>

#include "spool_reader/draft.h"

namespace ompdm::trace {

/// What could not be tied, counted.
struct Untied {
  std::uint64_t missing = 0;  ///< copies and launches of CUDA devices that no activity stands for
  std::uint64_t unequal = 0;  ///< activities whose bytes are not their operation's
};

/// Brings the activities to the recording's clock, OpenMP's device numbers and order of begin, and
/// finds the operation, launch, region and kernel of each. `attach`: CLOCK_MONOTONIC at attach.
/// Needs the kernels, and operations and launches in their final order.
Untied tie_activities(Draft& draft, std::uint64_t attach);

}  // namespace ompdm::trace
