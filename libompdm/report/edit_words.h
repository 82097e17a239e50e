// One edit in words, with the code that it says to write. Inside the report library only.
#pragma once

#include <string>

#include "ompdm/analysis.h"

namespace ompdm::report {

/// What has to be said before an inserted directive: where, and on what it depends.
/// `is_first_condition`: no edit before it depends on the host. `goes_on`: it belongs to the one
/// before it.
std::string lead_of(const analysis::Edit& edit, bool is_first_condition, bool goes_on);

/// Lines, each with its end.
std::string edit_text(const analysis::Finding& finding, const analysis::Edit& edit,
                      const std::string& lead);

}  // namespace ompdm::report
