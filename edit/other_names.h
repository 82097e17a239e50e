// Other names by which a loop's host code may come to data: pointers that were set to it before,
// and what it is a part of.
#pragma once

#include <clang/AST/Decl.h>

#include <vector>

#include "program.h"

namespace ompdm::edit {

/// Throws Refusal where the loop uses any of them. `data` are the names that are known.
void expect_no_other_names(const Program& program, const clang::Stmt& loop,
                           const std::vector<const clang::VarDecl*>& data);

/// Whether the function of the loop names a variable behind it, or in what is run after it.
bool is_used_behind(const Program& program, const clang::Stmt& loop,
                    const clang::VarDecl& variable);

}  // namespace ompdm::edit
