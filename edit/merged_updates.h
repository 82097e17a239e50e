// Updates that bring the same data back twice, with nothing on the device in between that could
// have changed it: one is enough. A pure function of the syntax tree.
#pragma once

#include <vector>

#include "host_uses.h"

namespace ompdm::edit {

/// `updates` are those of one scope's code, of one of the data; less those that another one makes
/// needless, which may come earlier or more often for it. Nothing is brought back that none of them
/// had brought back in the same pass, unless the code is left in between.
std::vector<Update> merged(const Program& program, const clang::Stmt& code,
                           std::vector<Update> updates);

}  // namespace ompdm::edit
