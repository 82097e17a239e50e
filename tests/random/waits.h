// Puts the waits where directives that are `nowait` have to have ended.
#pragma once

#include "program.h"

namespace ompdm::random_programs {

/// Adds a taskwait before each statement that may depend on open work, and before each
/// end of a directive with open work. Kernels and updates of other arrays go on
/// meanwhile.
void add_waits(const Program& program, Statement& one);

}  // namespace ompdm::random_programs
