// Single elements of an array that code uses.
#pragma once

#include <set>
#include <string>

#include "program.h"

namespace ompdm::edit {

/// List items of the elements of an array that `use` is of, of an assignment those that are set:
/// "u[k:1]". They stand for the same elements before `statement`, which holds the use, and behind
/// it; the statement uses them in any case. None: the code may use others, or none.
std::set<std::string> elements_of(const Program& program, const Stmt& statement,
                                  const VarDecl& data, const Stmt& use);

}  // namespace ompdm::edit
