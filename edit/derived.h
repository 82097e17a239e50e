// Local pointers that are set once, where they are declared, to a part of what another names: rows
// of a matrix, as kernels and host code write them.
#pragma once

#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>

#include "program.h"

namespace ompdm::edit {

/// The variable that an expression's value leads into: "a" of "a + i" and of "&a[i]"; null of what
/// is something else.
const clang::VarDecl* base_variable(const clang::Expr& expression);

/// "a" of "double* row = a + i * n"; null of what is something else. Whether it is set anew later,
/// its uses tell.
const clang::VarDecl* derived_from(const clang::VarDecl& pointer);

/// Whether a name at a place is declared by the same side, the host or one region.
bool is_declared_beside(const Program& program, const clang::VarDecl& pointer,
                        const clang::Stmt& at);

/// Whether code names it on that side alone, and in no clause.
bool stays_on_its_side(const Program& program, const clang::VarDecl& pointer,
                       const clang::Stmt& code);

}  // namespace ompdm::edit
