// Puts the waits where directives that are `nowait` have to have ended.
#pragma once

#include "program.h"

namespace ompdm::random_programs {

/// The statement with a taskwait before each statement that what is open may matter to, and before
/// each end of what has a directive open: other kernels and updates of other arrays go on
/// meanwhile.
void add_waits(const Program& program, Statement& one);

}  // namespace ompdm::random_programs
