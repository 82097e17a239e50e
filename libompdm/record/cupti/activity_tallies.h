// Activities that are counted and not told (spool/activity_tally.h). The activities' lock is held.
#pragma once

#include <cstdint>

#include "record/cupti/device_activity.h"

namespace ompdm::record {

/// Counts an activity of what pushed `id` (spool::counted_external_id), or, where that is 0, of
/// nobody that is known.
void count_activity(Lane& lane, const Activity& activity, std::uint64_t id) noexcept;

}  // namespace ompdm::record
