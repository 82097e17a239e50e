// Whether what a directive sends to a device is overwritten there before anything reads it.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "messages.h"
#include "trail_loops.h"
#include "whole_program.h"

namespace ompdm::edit {

/// Whether regions may read data that directives which begin a mapping (`target data`, `target
/// enter data`) have sent, before a region has overwritten all that the item names. "no" is certain
/// in any run: the region comes in each, and no other directive before it. Adds the steps that this
/// rests on.
HostUse read_first(const WholeProgram& program, const Trail& trail, const TrailLoops& loops,
                   const std::set<const Stmt*>& directives, const std::string& expression,
                   std::vector<Span>& rests_on);

}  // namespace ompdm::edit
