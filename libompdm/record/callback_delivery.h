// Whether OMPT's target events can reach the recorder.
#pragma once

#include "record/ompt.h"
#include "spool_format/format.h"

namespace ompdm::record {

/// The file of an object, beside OpenMP runtimes and copies of the recorder, that the program was
/// started with and that has an ompt_start_tool: the program itself, a library that it was linked
/// with, or one that was preloaded; null if there is none. Hashed for once, in the order in which
/// they were loaded.
const char* other_tool() noexcept;

/// What the tool wants that the runtime would have started if the recorder were not preloaded; null
/// if there is none, or it does not want to run. To be called by the recorder's own
/// ompt_start_tool.
ompt_start_tool_result_t* start_other_tool(unsigned omp_version,
                                           const char* runtime_version) noexcept;

/// Says, once a process, that the other tool runs in the recorder's place.
void report_other_tool() noexcept;

/// Gives the process a library named "libomp.so" that stands for the runtime already loaded, if it
/// needs one. Works only before libomptarget looks for it, that is from the constructor of a
/// preloaded library. Harmless elsewhere. Returns whether it did.
bool cure_missing_name() noexcept;

/// What libomptarget will find, seen from the runtime that started the recorder (any address inside
/// it).
spool::Reach find_delivery(const void* inside_runtime) noexcept;

/// Says so where no target event can come, and what to change.
void warn_of_delivery(spool::Reach reach) noexcept;

/// Whether the name that libomptarget looks for is loaded.
bool libomp_name_is_loaded() noexcept;

/// The folder of the OpenMP runtime that is loaded, for advice; empty if unknown. At most 1023
/// characters.
const char* runtime_folder() noexcept;

/// Notes in the spool's header which file libomptarget was loaded from, once: its name tells users
/// what the runtime's own text does not, the version.
void note_runtime_library() noexcept;

}  // namespace ompdm::record
