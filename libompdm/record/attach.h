// The parts of attaching to a program and leaving it: whether OMPT's target events reach the
// recorder, and the end of a recording.
#pragma once

#include "record/ompt.h"
#include "spool_format/format.h"

namespace ompdm::record {

/// The file of another OMPT tool in this process; null if there is none. OpenMP starts one tool,
/// and a program that has its own keeps it. Looks once for an ompt_start_tool in the program, its
/// libraries and preloaded ones, apart from OpenMP runtimes and copies of the recorder.
const char* other_tool() noexcept;

/// Starts the tool that the runtime would have started without the recorder; null if there is none,
/// or it declines. Called by the recorder's ompt_start_tool.
ompt_start_tool_result_t* start_other_tool(unsigned omp_version,
                                           const char* runtime_version) noexcept;

/// Reports once that another tool runs in the recorder's place.
void report_other_tool() noexcept;

/// Loads a library named "libomp.so" that stands for the loaded runtime, if libomptarget would not
/// find that name. libomptarget connects to the OpenMP runtime by it, and many installations do not
/// have it on the search path. Effective only before libomptarget looks, in the constructor of a
/// preloaded library. Returns whether it was loaded.
bool cure_missing_name() noexcept;

/// Whether libomptarget will connect to the runtime that started the recorder, given an address in
/// it.
spool::Reach find_delivery(const void* inside_runtime) noexcept;

/// Reports that no target event can come, and the remedy.
void warn_of_delivery(spool::Reach reach) noexcept;

/// Whether "libomp.so" is loaded.
bool libomp_name_is_loaded() noexcept;

/// Notes libomptarget's file in the spool's header, once. Its name tells the version.
void note_runtime_library() noexcept;

/// Ends the recording: writes the trailer, and has `ompdm record` or a process of its own finish
/// the spool. If nothing was recorded in a process that could have offloaded, reports that. Later
/// calls, and calls in a fork's child without a recording, do nothing.
void end_recording() noexcept;

/// The runtime was finalised and the process goes on: calls are counted as lost, until a callback
/// comes or the tool is started again.
void pause_recording() noexcept;

}  // namespace ompdm::record
