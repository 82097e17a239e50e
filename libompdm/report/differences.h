// In what recordings that are shown together are not alike, of all that their figures depend on.
// Inside the report library only.
#pragma once

#include <string>
#include <string_view>

#include "report/tables.h"

namespace ompdm::report {

/// "program ./naive → ./data; argument 2: 60 → 600; machine a → b": of programs, their builds,
/// arguments, runtimes and machines those that differ, with what each recording has in turn
/// (`between` them). Empty where all are of the same build with the same arguments on one machine.
std::string differences(Analyses analyses, std::string_view between = " → ");

}  // namespace ompdm::report
