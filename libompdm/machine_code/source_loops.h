// Loops of the source from those of the code: unrolled, split and united.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "machine_code/call_places.h"
#include "ompdm/trace.h"
#include "spool_format/definitions.h"
#include "symbols/symbols.h"

namespace ompdm::trace {

/// A function that holds calls, and its loops as its code has them.
struct FunctionLoops {
  std::vector<std::uint32_t> places;  ///< in Trace::call_places, in order of their addresses
  FunctionCalls calls;                ///< these calls
  bool is_sure = false;               ///< each time that it is called, something is recorded
  std::uint32_t first_loop = 0;       ///< in Trace::loops, that many as there are
  std::vector<std::string> sources;   ///< where each is in the source, calls that were inlined
                                      ///< included; empty: not known
};

/// Adds a row of Trace::call_places that comes after those that are there.
void add_call(std::vector<CallRange>& ranges, std::uint32_t place);

/// Unites the loops that are one in the source, and takes copies of their calls from outside in:
/// each is part of an iteration. The order within an iteration is that of the plainest of the
/// loops. Loops that are given up keep their rows, and nothing refers to them. `entries`, parallel
/// to Trace::call_places: the entry points that directives call.
void unite_loops(Trace& trace, const FunctionLoops& function,
                 const std::vector<spool::Entry>& entries);

/// Makes a loop row, marked as `unrolled`, of the copies among the given places of one function,
/// whose loops and order are known already. `entries`, by place, tell apart the calls of the
/// runtime that one directive makes (the begin and the end of a `target data`).
void find_repeats(Trace& trace, const std::vector<std::uint32_t>& places,
                  const std::vector<spool::Entry>& entries);

/// Fills CodeLoop::makes_memory and the list of unexecuted directives (`CodeLoop::unreached`) of
/// the functions' loops. Names each `target data` whose end was not executed. Needs the call paths.
/// Returns how many loops have too much code to be read: directives in it are not known.
std::uint64_t find_unexecuted(Trace& trace, Symbols& symbols,
                              const std::vector<FunctionLoops>& functions);

}  // namespace ompdm::trace
