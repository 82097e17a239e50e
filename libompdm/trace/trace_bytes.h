// trace.json as bytes from and to anywhere: what read_trace() and write_trace() do once the file is
// open.
#pragma once

#include <cstdint>
#include <string>

#include "ompdm/trace.h"
#include "trace/byte_stream.h"

namespace ompdm {

/// Writes a trace whose references exist, and closes the sink. Throws Error.
void write_trace_bytes(const Trace& trace, ByteSink& sink);

/// Throws Error, which calls the trace `name`, if no reader would take what was written of it.
void check_references(const Trace& trace, const std::string& name);

/// Reads a trace that is called `name` in errors and in Trace::file. `size` is that of the file, as
/// a bound of what it is worth to reserve. Throws Error.
Trace read_trace_bytes(ByteSource& source, const std::string& name, std::uint64_t size);

}  // namespace ompdm
