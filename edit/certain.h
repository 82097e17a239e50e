// What is run in any case, and what only under conditions.
#pragma once

#include <clang/AST/Expr.h>

#include "program.h"

namespace ompdm::edit {

/// Whether a statement decides if a part of it is run.
bool decides(const clang::Stmt& statement, const clang::Stmt* part);

/// Whether a run that comes to the end of `outer` has come by `inner`; of a loop, of a run that
/// makes a pass.
bool is_certain(const Program& program, const clang::Stmt& inner, const clang::Stmt& outer);

/// Whether an expression is one of several by a condition.
bool has_choice(const clang::Expr& expression);

}  // namespace ompdm::edit
