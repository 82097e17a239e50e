// One edit in words, with the code that it says to write. Inside the report library only.
#pragma once

#include <string>

#include "ompdm/analysis.h"

namespace ompdm::report {

/// Lines, each with its end. Where the edit takes one of many, they are not all listed as code.
std::string edit_text(const analysis::Finding& finding, const analysis::Edit& edit, bool goes_on);

}  // namespace ompdm::report
