// Whether data that stayed on a device is named by what comes behind.
#pragma once

#include <clang/AST/Decl.h>

#include <vector>

#include "program.h"

namespace ompdm::edit {

/// Whether the function of the loop names a variable behind it, or in what is run after it.
bool is_used_behind(const Program& program, const clang::Stmt& loop,
                    const clang::VarDecl& variable);

}  // namespace ompdm::edit
