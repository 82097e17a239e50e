// A comparison as JSON text, `ompdm.compare/1` (COMPARE.md). Inside the report library only.
#pragma once

#include <string>

#include "report/sides.h"

namespace ompdm::report {

/// Every figure of both recordings, in nanoseconds and bytes, with ratios of AFTER to BEFORE.
std::string comparison_json(const Sides& sides);

}  // namespace ompdm::report
