// Which rows of the other tables a finding is about. Inside the analysis library only.
#pragma once

#include <cstddef>
#include <set>

#include "analysis/findings/findings.h"

namespace ompdm::analysis {

/// Rows of the loops that hold all of what a claim keeps on a device; else of those that its
/// operations are in.
std::set<std::size_t> loops_of(const Evidence& evidence, const Claim& claim);

/// Fills in the directives and loops of a claim's finding, as rows, and its variables, as positions
/// in Trace::variables.
void refer(const Evidence& evidence, Claim& claim);

}  // namespace ompdm::analysis
