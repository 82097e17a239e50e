// Activities that were counted, tied to the tallies of what asked for them.
#pragma once

#include <cstdint>

#include "trace/activity_kernels.h"
#include "trace/draft.h"

namespace ompdm::trace {

/// Makes the trace's tallies of the draft's, which have their times and devices: finds the tally of
/// operations or launches and the kernel of each. Needs the examples taken.
void tie_activity_tallies(Draft& draft, Kernels& kernels, bool has_directives);

/// Copies and launches of CUDA devices that were counted and that no activity stands for.
std::uint64_t count_missing_in_tallies(const Trace& trace);

}  // namespace ompdm::trace
