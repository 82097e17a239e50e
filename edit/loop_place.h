// Whether directives can be written before and behind a loop, and are then reached.
#pragma once

#include "program.h"

namespace ompdm::edit {

/// Throws Refusal where the loop comes from a macro, stands in no block, or is left by a way that
/// passes by what stands behind it.
void expect_room_around(const Program& program, const clang::Stmt& loop);

/// Throws Refusal where a function that the loop calls may leave it by throw or longjmp, or ends
/// the program while others may still look at the data, which `is_global` says.
void expect_no_other_way_out(const Program& program, const clang::Stmt& loop, bool is_global);

/// Throws Refusal where a statement may be left in a way that passes by what stands behind it.
void expect_end_is_reached(const Program& program, const clang::Stmt& statement);

}  // namespace ompdm::edit
