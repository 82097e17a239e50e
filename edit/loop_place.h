// Whether directives can be written before and behind a loop, and are then reached.
#pragma once

#include "program.h"

namespace ompdm::edit {

/// Throws Refusal where the loop comes from a macro, stands in no block or in another construct, or
/// is left by a way that passes by what stands behind it.
void expect_room_around(const Program& program, const clang::Stmt& loop);

}  // namespace ompdm::edit
