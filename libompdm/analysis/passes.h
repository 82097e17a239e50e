// What each pass of each loop spent its time on. Inside the analysis library only.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/tables.h"
#include "ompdm/analysis.h"

namespace ompdm::analysis {

/// By row of `loops`; `finding_of_op` by position in Trace::ops, Picture::kNone for what no finding
/// claims.
std::vector<std::vector<Pass>> passes_of(const Trace& trace, const LoopTable& loops,
                                         const std::vector<std::uint32_t>& finding_of_op);

}  // namespace ompdm::analysis
