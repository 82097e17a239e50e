// Calls by the host of what is not seen: functions of other files or libraries, and what pointers
// lead to.
#pragma once

#include <clang/AST/Expr.h>

#include "program.h"

namespace ompdm::edit {

/// The first in code or in a function that is called from there; null if all is seen, or is the
/// system's.
const clang::CallExpr* unseen_call_in(const Program& program, const clang::Stmt& code);

}  // namespace ompdm::edit
