// Transfers that carried what was there and that no finding is about: something may have changed it
// in a way that the maps do not show, or nothing is known that avoids them. Inside the analysis
// library only.
#pragma once

#include <vector>

#include "analysis/findings/findings.h"

namespace ompdm::analysis {

/// By the reason: Doubt::kNoChangeKnown, then in the order of Writer; none for what `claimed` has.
/// Of what a claim keeps on the device the transfers that remain are needed.
std::vector<Doubt> doubts_of(const Evidence& evidence, const Claimed& claimed,
                             const std::vector<Claim>& told);

}  // namespace ompdm::analysis
