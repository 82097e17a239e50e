// Directives that a loop's code leads to, and that were not executed in this run.
#pragma once

#include <cstdint>
#include <vector>

#include "machine_code/source_loops.h"
#include "symbols/symbols.h"

namespace ompdm::trace {

/// Fills CodeLoop::unreached and makes_memory of the functions' loops. Needs the call paths.
/// Returns how many loops have too much code to be read: directives in it are not known.
std::uint64_t find_unexecuted(Trace& trace, Symbols& symbols,
                              const std::vector<FunctionLoops>& functions);

}  // namespace ompdm::trace
