// The way in for findings of detectors that are not ompdm's own: a function of yours from a const
// Trace and its Analysis to a Finding, which is then rendered with the others.
#pragma once

#include "ompdm/analysis.h"

namespace ompdm::analysis {

/// Adds `finding` to Analysis::findings, before those that would save less time. Its pattern is a
/// name of the detector's own in snake_case ("oversized_transfer"); the report says it with blanks.
/// Its rows (`directives`, `variables`, `loops`) are positions in the analysis's tables. An empty
/// id is made of pattern, file and variable, so that it is the same in another run. Predictions and
/// a picture of the run stay what they were: nothing tells which operations the finding claims.
/// Throws Error if the pattern is no such name or if a row does not exist; then nothing is added.
void add_finding(Analysis& analysis, Finding finding);

}  // namespace ompdm::analysis
