// Whether the host's code may know data that is kept on a device by another name. Such a name is a
// pointer that was set to the data, an object that the data is a part of, or another parameter.
#pragma once

#include <clang/AST/Decl.h>

#include <set>
#include <vector>

#include "program.h"

namespace ompdm::edit {

/// Throws Refusal where host code of the loop names something that may be the same storage, or
/// where two of `data` may overlap. Returns the pointers of `data` that may be equal, as nothing
/// shows that they are not.
std::set<const VarDecl*> expect_distinct(const Program& program, const Stmt& loop,
                                         const std::vector<const VarDecl*>& data);

/// Whether two names in the code may be of the same storage.
bool may_be_same(const Program& program, const Stmt& code, const VarDecl& one,
                 const VarDecl& other);

}  // namespace ompdm::edit
