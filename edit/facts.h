// What is certain of the code of target regions: which data each reads and writes.
#pragma once

#include <vector>

#include "messages.h"
#include "program.h"

namespace ompdm::edit {

/// Of the target regions whose pragmas begin at these places, in the same order. What a template is
/// made into is taken together.
Facts facts_of(const Program& program, const std::vector<Place>& regions);

}  // namespace ompdm::edit
