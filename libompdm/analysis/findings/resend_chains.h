// Directives that map the same data one after the other: what each of them sends again is one
// finding. Inside the analysis library only.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/findings/resend_group.h"

namespace ompdm::analysis {

/// Positions of groups whose data would have to stay through one and the same mapping: one enters
/// it, and one ends its stay, where by itself each would contradict the next. What was there all
/// the time is told where it is.
std::vector<std::vector<std::uint32_t>> chains_of(const Evidence& evidence,
                                                  const std::vector<ResendGroup>& groups);

/// The groups of a chain as one.
ResendGroup joined_of(const Evidence& evidence, const std::vector<ResendGroup>& groups,
                      const std::vector<std::uint32_t>& chain);

}  // namespace ompdm::analysis
