// The report as JSON text, `ompdm.report/1`.
#pragma once

#include <string>

#include "report/tables.h"

namespace ompdm::report {

/// Every figure, in nanoseconds and bytes; null for what is not known. Rows of several recordings
/// carry `rank` or `pid`.
std::string json_text(Analyses analyses, const SourceNames& names);

}  // namespace ompdm::report
