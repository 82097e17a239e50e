// trace.ompdm as bytes from and to anywhere: the trace of a long run (LONG.md).
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "ompdm/trace.h"
#include "trace/byte_stream.h"

namespace ompdm {

/// Whether a file of this name is written as trace.ompdm is: it ends in .ompdm or .ompdm.gz.
bool is_binary_name(const std::filesystem::path& name);

/// Whether a file that begins so, with 8 bytes at least, is one, of whatever version.
bool is_binary_beginning(std::string_view bytes);

/// Writes a trace whose references exist, and closes the sink. Throws Error.
void write_binary_trace(const Trace& trace, ByteSink& sink);

/// Reads a trace that is called `name` in errors and in Trace::file, from its first byte on. `size`
/// is that of the file, as a bound of what it is worth to reserve. A file that was cut short, is
/// damaged or newer throws Error.
Trace read_binary_trace(ByteSource& source, const std::string& name, std::uint64_t size);

/// Such a trace without its events: of its file no more than the metadata is read. Throws Error.
Trace read_binary_head(ByteSource& source, const std::string& name);

}  // namespace ompdm
