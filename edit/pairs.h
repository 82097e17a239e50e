// `target enter data` and `target exit data` that belong together, by where they are written.
#pragma once

#include <clang/AST/Decl.h>

#include <vector>

#include "program.h"

namespace ompdm::edit {

/// Throws Refusal unless the directive enters what another one of the same block exits, or the
/// reverse, each time that the block is run. `all` are those that name `data` in the scope.
void expect_pair(const Program& program, const clang::OMPExecutableDirective& directive,
                 const std::vector<const clang::OMPExecutableDirective*>& all,
                 const clang::VarDecl& data);

}  // namespace ompdm::edit
