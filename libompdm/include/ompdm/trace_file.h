// Reading and writing trace.json (`ompdm.trace/1`, Chrome Trace Event object form; layout in
// trace/FORMAT.md).
#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

#include "ompdm/trace.h"

namespace ompdm {

/// Schema written, and the newest one read.
inline constexpr std::string_view kTraceSchema = "ompdm.trace/1";

/// Writes `trace` to exactly this path (gzip where it ends in .gz), truncating what is there.
/// Throws Error when it cannot be written, which names `path`.
void write_trace(const Trace& trace, const std::filesystem::path& path);

/// Reads a trace. A file cut short gives its whole lines and `truncated`; a foreign, corrupt or
/// newer file throws Error in one sentence that names the file.
Trace read_trace(const std::filesystem::path& path);

/// Whether this file begins as an ompdm trace does (any schema version). Never throws; false if
/// unreadable.
bool is_trace(const std::filesystem::path& path);

}  // namespace ompdm
