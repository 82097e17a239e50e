// A trace from bytes and to bytes, and whether its references hold.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ompdm/trace.h"
#include "trace_files/byte_stream.h"

namespace ompdm {

/// The first reference to a row that does not exist, in some words; empty if there is none.
std::string find_broken_reference(const Trace& trace);

/// Throws Error, which calls the trace `name`, if no reader would take what was written of it.
void check_references(const Trace& trace, const std::string& name);

/// Writes a trace whose references exist as trace.json, and closes the sink. Throws Error.
void write_trace_bytes(const Trace& trace, ByteSink& sink);

/// Reads a trace of either kind. It is called `name` in errors and in Trace::file. `size` is that
/// of the file, as a bound of what it is worth to reserve. Throws Error.
Trace read_trace_bytes(ByteSource& source, const std::string& name, std::uint64_t size);

/// The same of a trace.json; references are not checked.
Trace read_json_trace(ByteSource& source, const std::string& name, std::uint64_t size);

/// Its metadata up to the line that begins with `key`.
Trace read_json_head(ByteSource& source, const std::string& name, std::string_view key);

}  // namespace ompdm
