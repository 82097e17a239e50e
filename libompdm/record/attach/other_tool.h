// Whether the program has another OMPT tool than the recorder. OpenMP has one tool a process, and a
// program that has its own keeps it.
#pragma once

#include "record/runtime/ompt.h"

namespace ompdm::record {

/// The file of an object, beside OpenMP runtimes and copies of the recorder, that the program was
/// started with and that has an ompt_start_tool: the program itself, a library that it was linked
/// with, or one that was preloaded; null if there is none. Looked for once, in the order in which
/// they were loaded.
const char* other_tool() noexcept;

/// What the tool wants that the runtime would have started if the recorder were not preloaded; null
/// if there is none, or it does not want to run. To be called by the recorder's own
/// ompt_start_tool.
ompt_start_tool_result_t* start_other_tool(unsigned omp_version,
                                           const char* runtime_version) noexcept;

/// Says, once a process, that the other tool runs in the recorder's place.
void tell_of_other_tool() noexcept;

}  // namespace ompdm::record
