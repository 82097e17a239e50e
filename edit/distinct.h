// Whether data that stays on a device may be known to the host's code by another name: a pointer
// that was set to it, what it is a part of, another parameter.
#pragma once

#include <clang/AST/Decl.h>

#include <set>
#include <vector>

#include "program.h"

namespace ompdm::edit {

/// Throws Refusal where host code that the loop runs names something that may be the same storage,
/// or two of `data` may overlap. Returns those of them that may be one: two pointers of which
/// nothing shows that they are not equal.
std::set<const VarDecl*> expect_distinct(const Program& program, const Stmt& loop,
                                         const std::vector<const VarDecl*>& data);

/// Whether two names in the code may be of the same storage.
bool may_be_same(const Program& program, const Stmt& code, const VarDecl& one,
                 const VarDecl& other);

}  // namespace ompdm::edit
