// Which threads' directives form one sequence. Inside the analysis library only.
#pragma once

#include <cstdint>
#include <vector>

#include "ompdm/trace.h"

namespace ompdm::analysis {

/// Threads, except the main one, that work on the same storage, where it is not known who asked for
/// what they run: what a `nowait` defers is run by any of the runtime's threads, so that one loop's
/// directives may be spread over them.
struct ThreadGroup {
  std::vector<std::uint32_t> threads;
  bool one_at_a_time = true;  ///< no two of their directives overlap in time
};

/// Groups of two and more threads.
std::vector<ThreadGroup> groups_of_threads(const Trace& trace);

}  // namespace ompdm::analysis
