// Trace files, read and written, and a part of a trace by time.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "ompdm/trace.h"

namespace ompdm {

/// Schema written, and the newest one read.
inline constexpr std::string_view kTraceSchema = "ompdm.trace/1";

/// Writes `trace` to exactly this path, and truncates what is there. It is written as trace.ompdm
/// if the path ends in .ompdm or .ompdm.gz, else as trace.json; as gzip if it ends in .gz. Throws
/// Error, which names `path`, if the trace cannot be written.
void write_trace(const Trace& trace, const std::filesystem::path& path);

/// The same, but under another name until the file is complete: only then it replaces `path`. If an
/// error is thrown, or a signal ends the process, `path` remains as it was.
void replace_trace(const Trace& trace, const std::filesystem::path& path);

/// Writes it as trace.json to an open descriptor, as standard output, which stays open; `name` is
/// that in errors.
void write_trace(const Trace& trace, int descriptor, const std::string& name);

/// Reads a trace of either kind, which its content shows. A trace.json that is cut short gives its
/// complete lines, and sets `truncated`. A foreign, corrupt or newer file throws Error, and so does
/// a trace.ompdm that is cut short. The error is one sentence that names the file.
Trace read_trace(const std::filesystem::path& path);

/// The process of a trace of either kind, from the file's beginning alone. Throws Error as
/// read_trace() does.
Process read_process(const std::filesystem::path& path);

/// Whether this file begins as an ompdm trace does (any schema version). Never throws; false if
/// unreadable.
bool is_trace(const std::filesystem::path& path);

/// Whether the file is a trace that window_of() took out of another. Never throws; false if
/// unreadable.
bool is_part(const std::filesystem::path& path);

/// Whether the file is a trace, and begins as trace.ompdm does. Never throws.
bool is_binary_trace(const std::filesystem::path& path);

/// The events of a trace that were running at some time from `from` to `to` (nanoseconds since the
/// attach), with their own times. Regions of such operations, launches and activities are there,
/// too. All definitions are there, aggregates are left out. The trace's `detail` is kPart, so that
/// nobody takes it for the whole run. It is recorded from `from` to `to`, as far as the whole trace
/// is.
Trace window_of(const Trace& trace, Nanoseconds from, Nanoseconds to);

}  // namespace ompdm
