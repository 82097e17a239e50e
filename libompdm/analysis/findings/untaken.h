// Branches that the run did not take, and what rests on that. Inside the analysis library only.
#pragma once

#include "analysis/findings/findings.h"

namespace ompdm::analysis {

/// Takes back the edits of a claim on the passes of a loop whose code leads to directives that no
/// pass came to, and names these instead: on another input they may use the data, or change it.
/// Edits whose condition says when the directive is needed hold there too.
void withhold_edits(const Evidence& evidence, Claim& claim);

}  // namespace ompdm::analysis
