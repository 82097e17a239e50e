// What a recording does not hold: events that were lost, and contents that were not looked at. Text
// only.
#pragma once

#include <span>
#include <string>

#include "report/tables.h"

namespace ompdm::report {

/// Whether events were lost, be it behind the cut of a file. Contents that were not examined are
/// evidence less, and no event.
bool has_losses(const analysis::Analysis& one);

/// What was lost, contents included, also if nothing was: "0 (26 kinds of loss watched)".
std::string losses(Analyses analyses);

/// Of these the ones that are of events: "records_no_space 18481"; empty if there are none.
std::string lost_events(std::span<const Loss> losses);

/// Contents that could not be examined, and why; empty if there were none.
std::string unexamined(Analyses analyses);

}  // namespace ompdm::report
