// Parts of one piece of memory, each mapped under a name of its own.
#pragma once

#include <clang/AST/Decl.h>

#include "own_storage.h"

namespace ompdm::edit {

/// Parts of one piece can be reached by each other's names, which would be another section than the
/// clauses have. Throws Refusal if the host uses one of two that may be such parts.
void expect_own_indexes(const Program& program, const clang::Stmt& loop, const OwnStorage& own,
                        const clang::VarDecl& one, const clang::VarDecl& other);

}  // namespace ompdm::edit
