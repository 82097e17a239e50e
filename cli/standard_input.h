// A recording that comes through a pipe: `zcat old.json.gz | ompdm report -`.
#pragma once

#include <string>

#include "ompdm/trace.h"

namespace ompdm::cli {

/// What stands for standard input where a trace is named.
inline constexpr const char* kStandardInput = "-";

/// Reads a trace (or a spool) from standard input, which then has no more to give. Throws Error:
/// also where that is a terminal, or was read before.
Trace read_standard_input();

/// Whether a name is that of a pipe, as a shell makes for `<(zcat old.json.gz)`.
bool is_pipe(const std::string& name);

/// Reads a trace (or a spool) from a pipe to its end. Throws Error.
Trace read_pipe(const std::string& name);

}  // namespace ompdm::cli
