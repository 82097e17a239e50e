// What a recording does not hold: events that were lost, and contents that were not looked at. Text
// only.
#pragma once

#include <string>

#include "report/tables.h"

namespace ompdm::report {

/// Whether events were lost, be it behind the cut of a file. Contents that were not examined are
/// evidence less, and no event.
bool has_losses(const analysis::Analysis& one);

/// What was lost, also if nothing was: "0 (26 kinds of loss watched)".
std::string losses(Analyses analyses);

/// Contents that could not be examined, and why; empty if there were none.
std::string unexamined(Analyses analyses);

}  // namespace ompdm::report
