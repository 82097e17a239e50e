// What each thread executed, one directive after the other, as sequences that loops are found in.
// Inside the analysis library only.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/repeats.h"
#include "analysis/tables.h"

namespace ompdm::analysis {

/// By position in Trace::threads, in order of time. Symbols are twice the directive's row, plus 1
/// for the end of a `target data`. The copies that one omp_target_memcpy_rect makes are one step.
std::vector<std::vector<Step>> steps_by_thread(const Trace& trace,
                                               const DirectiveTable& directives);

/// Numbers a sequence's devices 0, 1, ... as they come, so that threads which do the same on
/// devices of their own do the same. Returns how many there are.
std::uint32_t number_devices(std::vector<Step>& steps);

}  // namespace ompdm::analysis
