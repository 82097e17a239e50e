// What is certain of the code of target regions: which data each reads and writes.
#pragma once

#include <vector>

#include "messages.h"
#include "program.h"

namespace ompdm::edit {

/// Of the target regions whose pragmas begin at these places, in the same order. What a template is
/// made into is taken together, and so is what several units have of a header.
std::vector<RegionFacts> facts_of(const std::vector<const Program*>& units,
                                  const std::vector<Place>& regions);

/// How many elements of an array a region overwrites, from the first on, before it reads any of
/// them: a product as "1000" or "m*n", of variables that the region does not set, in the order of
/// the alphabet. Empty: not known.
std::string elements_overwritten(const Program& program, const Directive& region,
                                 const VarDecl& array);

/// Whether that is all of a list item: a section from 0 on, or an array.
bool overwrites_all(const Program& program, const Directive& region, const VarDecl& array,
                    const Expr& item);

/// The same of a loop of the host's code.
bool overwrites_all(const Program& program, const clang::ForStmt& loop, const VarDecl& array,
                    const Expr& item);

}  // namespace ompdm::edit
