// The single elements of an array that code uses.
#pragma once

#include <set>
#include <string>

#include "program.h"

namespace ompdm::edit {

/// List items, as "u[k:1]", of the elements of an array that `use` reads or writes. Of an
/// assignment these are the elements that it sets. The items stand for the same elements before
/// `statement`, which holds the use, and behind it. The statement uses them in any case. Empty: the
/// code may use other elements, or none.
std::set<std::string> elements_of(const Program& program, const Stmt& statement,
                                  const VarDecl& data, const Stmt& use);

}  // namespace ompdm::edit
