// What has to be said before an inserted directive. Inside the report library only.
#pragma once

#include <string>
#include <vector>

#include "ompdm/analysis.h"

namespace ompdm::report {

/// As places_text(); "that place" if there are none.
std::string these_places(const std::vector<analysis::SourcePlace>& places);

/// Whether an edit takes one of so much data at a time that a list of it is none to copy.
bool is_long_choice(const analysis::Edit& edit);

/// What an edit takes one at a time: "u", "one of u, v and o (in blur)"; "one of these" where that
/// is all of much data, or has no name.
std::string choice_of(const analysis::Finding& finding, const analysis::Edit& edit);

/// Where an inserted directive goes, and on what it depends. `choice`: what it takes, one at a time
/// ("one of u and v"). `goes_on`: it belongs to the one before it.
std::string lead_of(const analysis::Edit& edit, const std::string& choice = {},
                    bool goes_on = false);

}  // namespace ompdm::report
