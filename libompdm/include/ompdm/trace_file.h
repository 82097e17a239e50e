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

/// Writes `trace` to exactly this path (gzip where it ends in .gz), as trace.ompdm is where it ends
/// in .ompdm or .ompdm.gz, else as trace.json, truncating what is there.
/// Throws Error when it cannot be written, which names `path`.
void write_trace(const Trace& trace, const std::filesystem::path& path);

/// The same, under another name until it is whole: what has this name is replaced then, or, where
/// an error is thrown or a signal ends the process, left as it was.
void replace_trace(const Trace& trace, const std::filesystem::path& path);

/// Writes it as trace.json to an open descriptor, as standard output, which stays open; `name` is
/// that in errors.
void write_trace(const Trace& trace, int descriptor, const std::string& name);

/// Reads a trace of either kind, told by its content. A trace.json cut short gives its whole lines
/// and `truncated`; a foreign, corrupt or newer file, and a trace.ompdm cut short, throws Error in
/// one sentence that names the file.
Trace read_trace(const std::filesystem::path& path);

/// The process of a trace of either kind, from the file's beginning alone. Throws Error as
/// read_trace() does.
Process read_process(const std::filesystem::path& path);

/// Whether this file begins as an ompdm trace does (any schema version). Never throws; false if
/// unreadable.
bool is_trace(const std::filesystem::path& path);

/// Whether it is one that window_of() took out of another. Never throws; false if unreadable.
bool is_part(const std::filesystem::path& path);

/// Whether it is one, and begins as trace.ompdm does. Never throws.
bool is_binary_trace(const std::filesystem::path& path);

/// What of a trace was at work at some time from `from` to `to` (nanoseconds since the attach),
/// with its own times, and what that belongs to: the regions of such operations, launches and
/// activities too. Definitions are all there, what was counted is left out. The trace's `detail` is
/// "part", told from `from` to `to` as far as the trace tells of them, so that nobody takes it for
/// the whole run.
Trace window_of(const Trace& trace, Nanoseconds from, Nanoseconds to);

}  // namespace ompdm
