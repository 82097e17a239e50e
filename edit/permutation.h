// Pointers that a loop exchanges among themselves, as time loops do: each still points to one of
// the same arrays.
#pragma once

#include <clang/AST/Decl.h>

#include <set>
#include <vector>

#include "pointer_uses.h"

namespace ompdm::edit {

/// "to = from" of two variables; null of what is something else.
struct Assignment {
  const clang::VarDecl* to = nullptr;
  const clang::VarDecl* from = nullptr;
};
Assignment assignment_of(const clang::Stmt& statement);

/// Other pointers that a loop sets to a variable's value, or it to theirs.
std::set<const clang::VarDecl*> partners_of(const Program& program, const clang::Stmt& loop,
                                            const clang::VarDecl& variable);

/// `set` are the places in the loop where the variables, or others to them, are set. Returns which
/// variables are exchanged; throws Refusal unless that is all that is done to them.
std::vector<const clang::VarDecl*> exchanged(const Program& program, const clang::Stmt& loop,
                                             const std::vector<const clang::VarDecl*>& variables,
                                             const std::vector<Mention>& set);

}  // namespace ompdm::edit
