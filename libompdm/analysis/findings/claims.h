// What every claim tells of its place and its operations. Inside the analysis library only.
#pragma once

#include "analysis/findings/findings.h"

namespace ompdm::analysis {

/// Fills pattern, file and line of a claim.
void place(Claim& claim, const char* pattern, const Trace& trace, Index<Site> site);

/// Fills `wasted_bytes`, `wasted_time` and what it is of from the claim's operations.
void sum_up(Claim& claim, const Trace& trace);

/// Whether a `nowait` directive without a kernel made an operation: it ran at some time behind the
/// directive, and what ran before or after it tells nothing of the program's order.
bool is_of_deferred_task(const Trace& trace, std::uint32_t op);

}  // namespace ompdm::analysis
