// Branches that the run did not take, and what rests on that. Inside the analysis library only.
#pragma once

#include "analysis/findings/findings.h"

namespace ompdm::analysis {

/// Takes back the edits of a claim where the code of a loop leads to directives that no pass came
/// to, and names these instead: on another input they may use the data, or change it. Such a loop
/// has the claim's operations in its passes, or ran while the claim's data was there.
/// Edits whose condition says when the directive is needed hold there too.
void withhold_edits(const Evidence& evidence, Claim& claim);

}  // namespace ompdm::analysis
