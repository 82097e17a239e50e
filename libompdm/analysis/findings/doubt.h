// Transfers that carried what was there, and are not called needless because something may have
// changed it in a way that the maps do not show. Inside the analysis library only.
#pragma once

#include <vector>

#include "analysis/findings/findings.h"

namespace ompdm::analysis {

/// By the reason, in the order of Writer; none for what `claimed` has.
std::vector<Doubt> doubts_of(const Evidence& evidence, const Claimed& claimed);

}  // namespace ompdm::analysis
