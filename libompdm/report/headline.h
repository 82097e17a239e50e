// The first line of a report.
#pragma once

#include <string>

#include "report/tables.h"

namespace ompdm::report {

/// What data movement cost and which directive caused most of it; or that nothing was recorded,
/// why, and the remedy.
std::string headline(Analyses analyses, const SourceNames& names);

/// Why the headline has no shares, or what they are of and by which clock; empty of a single
/// recording that has them, whose header says it.
std::string headline_basis(Analyses analyses);

}  // namespace ompdm::report
