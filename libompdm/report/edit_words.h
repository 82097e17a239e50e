// One edit of a finding as a reader follows it. Inside the report library only.
#pragma once

#include <vector>

#include "ompdm/analysis.h"
#include "report/advice.h"

namespace ompdm::report {

/// The code of the edit (code_of()) behind a sentence that names its place; where it has none,
/// sentences alone. `goes_on`: it belongs to the edit before it.
std::vector<AdviceLine> edit_advice(const analysis::Finding& finding, const analysis::Edit& edit,
                                    bool goes_on);

}  // namespace ompdm::report
