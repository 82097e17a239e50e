// What is certain of the code of target regions: which data each region reads and writes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "messages.h"
#include "program.h"

namespace ompdm::edit {

/// The facts of the target regions whose pragmas begin at these places, in the same order. All
/// instantiations of a template have one entry, and so has a header's region in several units.
std::vector<RegionFacts> facts_of(const std::vector<const Program*>& units,
                                  const std::vector<Place>& regions);

/// How many elements of an array a region overwrites before it reads any of them, from the first
/// element on. The result is a product as "1000" or "m*n", with its factors in alphabetical order.
/// The region does not set its variables. Empty: not known.
std::string elements_overwritten(const Program& program, const Directive& region,
                                 const VarDecl& array);

/// An element that a region uses in every run.
struct LargestIndex {
  std::int64_t index = 0;
  bool is_written = false;
  Place at;
};

/// The largest index by which a region uses an array, or the data of a pointer, in every run. Such
/// an index is a sum of variables of loops that count from a number to a number. No condition
/// stands around it. The region may use larger indexes. None: there is no such index.
std::optional<LargestIndex> largest_index(const Program& program, const Directive& region,
                                          const VarDecl& array);

/// Whether these elements are all of a list item: a section from 0 on, or an array.
bool overwrites_all(const Program& program, const Directive& region, const VarDecl& array,
                    const Expr& item);

/// The same for a loop of the host's code.
bool overwrites_all(const Program& program, const clang::ForStmt& loop, const VarDecl& array,
                    const Expr& item);

}  // namespace ompdm::edit
