// What is not among the findings, and why: too small to be told, or not known to be needless.
#pragma once

#include <string>
#include <vector>

#include "ompdm/analysis.h"

namespace ompdm::report {

/// A sentence for each of the two that there is something of.
std::vector<std::string> left_out(const analysis::Analysis& one);

}  // namespace ompdm::report
