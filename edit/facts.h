// What is certain of the code of target regions: which data each reads and writes.
#pragma once

#include <cstdint>
#include <optional>
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

/// An element that a region uses in any run.
struct LargestIndex {
  std::int64_t index = 0;
  bool is_written = false;
  Place at;
};

/// The largest index by which a region uses an array, or what a pointer leads to: where it is a sum
/// of the variables of loops that count from a number to a number, and no condition is around. The
/// region may use larger ones. None: no index is such.
std::optional<LargestIndex> largest_index(const Program& program, const Directive& region,
                                          const VarDecl& array);

/// Whether that is all of a list item: a section from 0 on, or an array.
bool overwrites_all(const Program& program, const Directive& region, const VarDecl& array,
                    const Expr& item);

/// The same of a loop of the host's code.
bool overwrites_all(const Program& program, const clang::ForStmt& loop, const VarDecl& array,
                    const Expr& item);

}  // namespace ompdm::edit
