// Calls of which the compiler left several copies behind each other: loops that it unrolled away,
// and functions that it inlined more than once. Inside the trace library only.
#pragma once

#include <cstdint>
#include <vector>

#include "ompdm/trace.h"
#include "spool/definitions.h"

namespace ompdm::trace {

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

}  // namespace ompdm::trace
