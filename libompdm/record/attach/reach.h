// Whether target events can reach the recorder: libomptarget connects to the OpenMP runtime by
// opening "libomp.so", a name that many installations do not have on the path it looks at.
#pragma once

#include "spool_format/format.h"

namespace ompdm::record {

/// Gives the process a library named "libomp.so" that stands for the runtime already loaded, if it
/// needs one. Works only before libomptarget looks for it, that is from the constructor of a
/// preloaded library. Harmless elsewhere. Returns whether it did.
bool cure_missing_name() noexcept;

/// What libomptarget will find, seen from the runtime that started the recorder (any address inside
/// it).
spool::Reach find_reach(const void* inside_runtime) noexcept;

/// Says so where no target event can come, and what to change.
void warn_of_reach(spool::Reach reach) noexcept;

/// Whether the name that libomptarget looks for is loaded.
bool offload_can_reach() noexcept;

/// The folder of the OpenMP runtime that is loaded, for advice; empty if unknown. At most 1023
/// characters.
const char* runtime_folder() noexcept;

/// Notes in the spool's header which file libomptarget was loaded from, once: its name tells users
/// what the runtime's own text does not, the version.
void note_runtime_library() noexcept;

}  // namespace ompdm::record
