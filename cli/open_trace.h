// A trace by its name, or from standard input.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "ompdm/finish.h"
#include "ompdm/trace.h"

namespace ompdm::cli {

/// What stands for standard input where a trace is named.
inline constexpr const char* kStandardInput = "-";

/// Whether a name is that of a pipe, as a shell makes for `<(zcat old.json.gz)`.
bool is_pipe(const std::string& name);

/// How a process ended that could not say so: nothing in its recording tells one way from another.
inline constexpr const char* kEndedSilently = "was killed, or left by _exit, quick_exit or exec";

struct OpenedTrace {
  Trace trace;
  bool running = false;  ///< read from the spool of a process that still runs
  std::string kind;      ///< of file, in words
};

/// The file that is meant by the name of a trace: `trace.json` typed by habit is `trace.ompdm`
/// where the run was a long one. The name itself if there is neither.
std::string named_trace(const std::string& name);

/// Throws Error if it is a timeline, where no trace is to be read.
void refuse_timeline(const std::string& name);

/// Reads it. A trace that is being written is waited for; the spool of a process that has ended is
/// finished first, if nobody else is at it, which is said in one line on stderr. Throws Error.
OpenedTrace open_trace(const std::string& name);

/// The trace that became of a spool which is no more there under this name; nothing if there is
/// none beside it.
std::optional<std::string> trace_of_finished(const std::string& spool);

/// To finish `name` with the patience of somebody who has asked for it, told on a terminal what is
/// waited for.
FinishOptions patient(const std::string& name);

/// Finishes a spool with that patience, telling a terminal how long it takes; by_name: as the name
/// of `output` says, even if the run is too long for JSON. Throws Error.
FinishResult finish_patiently(const std::filesystem::path& spool,
                              const std::filesystem::path& output, bool by_name = false);

}  // namespace ompdm::cli
