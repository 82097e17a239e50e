// What to do about a copy back that brings no news. Inside the analysis library only.
#pragma once

#include <string>
#include <vector>

#include "ompdm/analysis.h"

namespace ompdm::analysis {

/// Adds the edit of the directive that makes the copy of these items of it. `is_sent`: its clause
/// sends them too. `in_all`: each of its copies was needless.
void add_edit_of_copy_back(const Site& site, const std::vector<std::string>& items, bool is_sent,
                           Finding& finding, bool in_all = true);

}  // namespace ompdm::analysis
