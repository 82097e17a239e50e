// A kernel, copy or memset as CUPTI tells it, made the spool's: so it is told, counted or kept
// until it is known which of them.
#pragma once

#include <cstdint>

#include "record/stream/lane.h"
#include "spool_format/activities.h"

namespace ompdm::record {

/// Heads are not filled in.
struct Activity {
  spool::Tag tag;  ///< kKernelActivity or kMemoryActivity; kNone: nothing
  spool::MemoryWork work;
  union {
    spool::KernelActivity kernel;
    spool::MemoryActivity memory;
  };
};

inline std::uint32_t correlation_of(const Activity& activity) noexcept {
  return activity.tag == spool::Tag::kKernelActivity ? activity.kernel.correlation
                                                     : activity.memory.correlation;
}

/// What a record of CUPTI's stands for; nothing if it is none of these, or (a loss is counted)
/// without its times. A kernel's name is told in the lane.
Activity read_activity(Lane& lane, const std::uint8_t* record) noexcept;

/// Tells it. False (and a loss counted) if there is no room.
bool tell_activity(Lane& lane, const Activity& activity) noexcept;

/// Whether CUPTI knows its times: it gives 0 for those that it does not know (yet), which is
/// counted as a loss.
bool has_times(std::uint64_t start, std::uint64_t end) noexcept;

}  // namespace ompdm::record
