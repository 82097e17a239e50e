// From the bytes of a spool to a draft: ids joined over lanes, ticks turned into nanoseconds,
// nothing interpreted.
#pragma once

#include "trace/clock.h"
#include "trace/draft.h"
#include "trace/spool_file.h"

namespace ompdm::trace {

/// All records of the spool. Operations and regions are in the order of their lanes, and so
/// committed.
Draft decode(SpoolFile& file, const ClockScale& clock);

}  // namespace ompdm::trace
