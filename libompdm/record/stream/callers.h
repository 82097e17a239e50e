// Who calls a site: the return addresses above it, written once when a lane defines it.
#pragma once

#include <cstdint>

#include "record/stream/lane.h"

namespace ompdm::record {

/// Lets glibc load what backtrace() needs, so that no callback does. To be called at attach.
void prepare_callers() noexcept;

/// Writes the call chain above `codeptr`, if it lies on this thread's stack, with modules as of the
/// last scan. Some microseconds.
void write_callers(Lane& lane, spool::SiteId site, const void* codeptr) noexcept;

}  // namespace ompdm::record
