// Which claims can be given together. Inside the analysis library only.
#pragma once

#include <cstddef>
#include <vector>

#include "analysis/findings/findings.h"

namespace ompdm::analysis {

/// The claims, in their order, less those that fall with another: whose operations are needless
/// only because of one that another claim takes away (two sends of the same data of which either
/// would do), or whose advice rewrites the same item of the same map clause. Of such claims the one
/// that saves the most bytes stays, then the surest, then the first: bytes are the same in every
/// run, times are not. `op_count` is that of the trace.
std::vector<Claim> settled(std::vector<Claim> claims, std::size_t op_count);

}  // namespace ompdm::analysis
