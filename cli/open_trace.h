// A trace by its name, or from standard input.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "ompdm/finish.h"
#include "ompdm/trace.h"

namespace ompdm::cli {

/// The name of a trace that stands for standard input.
inline constexpr const char* kStandardInput = "-";

/// Whether a name is that of a pipe, as a shell makes it for `<(zcat old.json.gz)`.
bool is_pipe(const std::string& name);

/// The end of a process whose recording has no end. The recording does not show which of these it
/// was.
inline constexpr const char* kEndedSilently = "was killed, or left by _exit, quick_exit or exec";

struct OpenedTrace {
  Trace trace;
  bool running = false;  ///< read from the spool of a process that still runs
  std::string kind;      ///< of the file, in words
};

/// The file for the name of a trace: `trace.ompdm` for `trace.json` where only the former exists,
/// else the name itself.
std::string named_trace(const std::string& name);

/// Throws Error if the file is a timeline.
void refuse_timeline(const std::string& name);

/// Reads a trace. Waits for a trace that is being written. First finishes the spool of a process
/// that has ended, unless another process does, and prints one line on stderr. Throws Error.
OpenedTrace open_trace(const std::string& name);

/// The trace of a spool that was finished and removed; nullopt where no trace lies beside the name.
std::optional<std::string> trace_of_finished(const std::string& spool);

/// Options to finish `name` for a user who waits: with a long timeout, and a message on a terminal.
FinishOptions patient(const std::string& name);

/// Finishes a spool with patient() and shows the progress on a terminal. `by_name`: the name of
/// `output` decides the format, even if the run is too long for JSON. Throws Error.
FinishResult finish_patiently(const std::filesystem::path& spool,
                              const std::filesystem::path& output, bool by_name = false);

}  // namespace ompdm::cli
