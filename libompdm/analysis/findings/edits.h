// What is known of a claim's edits once they are made. Inside the analysis library only.
#pragma once

#include <vector>

#include "analysis/findings/findings.h"

namespace ompdm::analysis {

/// The most memory that stays take on one device at one time.
std::uint64_t memory_of(std::vector<Stay> stays);

/// Gives each finding its id: a hash of its pattern, its variables and where these are, but for
/// lines; findings that have all this in common are told apart by their order.
void identify(std::vector<Finding>& findings);

}  // namespace ompdm::analysis
