// What is one loop in the source, whatever the compiler made of it: passes in front of it and
// behind it, one loop that became several, or one inside another.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ompdm/trace.h"
#include "spool/definitions.h"

namespace ompdm::trace {

/// A function's calls and loops, as its code has them.
struct FunctionLoops {
  std::vector<std::uint32_t> places;  ///< in Trace::call_places, in order of their addresses
  std::uint32_t first_loop = 0;       ///< in Trace::loops, that many as there are
  std::vector<std::string> sources;   ///< where each is in the source, calls that were inlined
                                      ///< included; empty: not known
};

/// Makes one of the loops that are one in the source, and takes copies of their calls outside in:
/// each of those is part of a pass. What may follow within a pass is what may where the compiler
/// left the loop plainest. Loops that are given up keep their rows, and nothing refers to them.
/// `entries` is beside Trace::call_places: what a directive's own call calls.
void unite_loops(Trace& trace, const FunctionLoops& function,
                 const std::vector<spool::Entry>& entries);

}  // namespace ompdm::trace
