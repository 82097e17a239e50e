// Loops of the source from those of the code: unrolled, split and united.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ompdm/trace.h"
#include "spool_format/definitions.h"

namespace ompdm::trace {

class FunctionCalls;

/// Whether all of a call's places in the source are known, those of calls that were inlined
/// included: only then can two be told to be copies of one.
bool has_lines(const std::vector<Frame>& frames);

/// Whether two calls of the same function are one in the source, but for lines of the calls by
/// which they were inlined that are not known.
bool may_be_copies(const std::vector<Frame>& a, const std::vector<Frame>& b);

/// Adds a row of Trace::call_places that comes after those that are there.
void add_call(std::vector<CallRange>& ranges, std::uint32_t place);

/// Makes a loop row, marked as `unrolled`, of the copies among the given places of one function,
/// whose loops and order are known already. `entries`, by place, tell apart the calls of the
/// runtime that one directive makes (the begin and the end of a `target data`).
void find_repeats(Trace& trace, const std::vector<std::uint32_t>& places,
                  const std::vector<spool::Entry>& entries);

/// A function's calls and loops, as its code has them.
struct FunctionLoops {
  std::vector<std::uint32_t> places;  ///< in Trace::call_places, in order of their addresses
  const FunctionCalls* calls;         ///< these calls
  std::uint32_t first_loop = 0;       ///< in Trace::loops, that many as there are
  std::vector<std::string> sources;   ///< where each is in the source, calls that were inlined
                                      ///< included; empty: not known
};

/// Unites the loops that are one in the source, and takes copies of their calls from outside in:
/// each is part of an iteration. The order within an iteration is that of the plainest of the
/// loops. Loops that are given up keep their rows, and nothing refers to them. `entries`, beside
/// Trace::call_places: the entry points that directives call.
void unite_loops(Trace& trace, const FunctionLoops& function,
                 const std::vector<spool::Entry>& entries);

}  // namespace ompdm::trace
