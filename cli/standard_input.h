// A recording that comes through a pipe: `zcat old.json.gz | ompdm report -`.
#pragma once

#include "ompdm/trace.h"

namespace ompdm::cli {

/// What stands for standard input where a trace is named.
inline constexpr const char* kStandardInput = "-";

/// Reads a trace (or a spool) from standard input, which then has no more to give. Throws Error:
/// also where that is a terminal, or was read before.
Trace read_standard_input();

}  // namespace ompdm::cli
