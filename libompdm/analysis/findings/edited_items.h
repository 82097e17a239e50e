// Which items of directives' clauses edits change. Inside the analysis library only.
#pragma once

#include <set>
#include <string>
#include <utility>

#include "ompdm/analysis.h"

namespace ompdm::analysis {

/// Where a directive stands, and one of its items as its clause has it.
using ItemAt = std::pair<SourcePlace, std::string>;

/// Items of which edits write a map clause anew, or take out of it.
std::set<ItemAt> rewritten_items(const Finding& finding);

}  // namespace ompdm::analysis
