// Whether data has memory whenever code is reached: what is kept around the code is mapped before
// any region in it asks for it.
#pragma once

#include <clang/AST/Decl.h>

#include <vector>

#include "program.h"
#include "scopes.h"

namespace ompdm::edit {

/// Throws Refusal where another input may leave the data without memory: it is not allocated for
/// certain before the code, and no directive in the code maps it for certain. `scopes` are all that
/// knows it.
void expect_memory(const Program& program, const clang::Stmt& code, const clang::VarDecl& data,
                   const std::vector<const Scope*>& scopes);

}  // namespace ompdm::edit
