// Edits of one directive, and what is known of a claim's edits once they are made. Inside the
// analysis library only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/findings/findings.h"

namespace ompdm::analysis {

/// Items as the clauses of a directive have them, for edits of it: their positions in
/// Finding::data.
std::vector<std::uint32_t> add_items(Finding& finding, const std::vector<std::string>& expressions,
                                     const Site& site);

/// An edit of the directive itself, on these items of it; none: the whole of it.
Edit edit_at(Finding& finding, EditKind kind, const Site& site, const char* clause,
             const std::vector<std::string>& expressions);

/// The most memory that stays take on one device at one time.
std::uint64_t memory_of(const std::vector<Stay>& stays);

/// Gives each finding its id: a hash of its pattern, its variables and where these are, but for
/// lines; findings that have all this in common are told apart by their order.
void identify(std::vector<Finding>& findings);

}  // namespace ompdm::analysis
