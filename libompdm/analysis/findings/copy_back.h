// What to do about a copy back that brings no news. Inside the analysis library only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/findings/findings.h"

namespace ompdm::analysis {

/// Adds the edit of the directive that makes the copies (positions in Trace::ops) of these items of
/// it. `is_sent`: its clause sends them too. `in_all`: each of its copies was needless. None of an
/// update some of whose copies are needed, nor of a call: no edit tells which.
void add_edit_of_copy_back(const Evidence& evidence, const std::vector<std::uint32_t>& copies,
                           const std::vector<std::string>& items, bool is_sent, Finding& finding,
                           bool in_all = true);

}  // namespace ompdm::analysis
