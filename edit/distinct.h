// Whether data that stays on a device may be known to the host's code by another name: a pointer
// that was set to it, what it is a part of, another parameter.
#pragma once

#include <clang/AST/Decl.h>

#include <vector>

#include "program.h"

namespace ompdm::edit {

/// Throws Refusal where host code that the loop runs names something that may be the same storage.
/// `data` are the names that are known.
void expect_distinct(const Program& program, const clang::Stmt& loop,
                     const std::vector<const clang::VarDecl*>& data);

}  // namespace ompdm::edit
