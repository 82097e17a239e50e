// Modules and their offload entries, as records of a lane. Called in callbacks; takes the
// recorder's mutex.
#pragma once

#include "record/stream/lane.h"
#include "spool_format/format.h"

namespace ompdm::record {

/// Writes the module's record to this lane, unless it is among those that the lane wrote last.
void write_module(Lane& lane, spool::ModuleId id) noexcept;

/// Writes the offload entries of modules found since the last call.
void write_offload_entries(Lane& lane) noexcept;

}  // namespace ompdm::record
