// The names by which code uses data of several pieces, as where pointers are exchanged. A name
// stands for one piece until its pointer is set.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "trail.h"
#include "whole_program.h"

namespace ompdm::edit {

/// A pointer or an array, and the call of the function that declares it. The call is a position in
/// Trail::callers, and 0 for a variable that all calls share.
using DataName = std::pair<std::uint32_t, Path>;
using NameSet = std::set<DataName>;

/// What a step does to the pointer that it sets.
struct Renaming {
  DataName name;
  std::optional<DataName> from;  ///< the pointer whose value it gets; none: not known
  bool is_exchange = false;      ///< the two values are exchanged
  bool is_fresh = false;         ///< it is set to memory that is allocated there
};

/// Finds the names of data in one trail, to which it keeps a reference. A set of names is empty
/// where the names are not certain.
class DataNames {
 public:
  /// `known`: the names of the data, as items and parameters have them.
  DataNames(const Trail& trail, const WholeProgram& program, std::set<Path> known);

  /// The name of an item. None: the item has no plain name.
  [[nodiscard]] std::optional<DataName> of_item(const Step& step, const Expr& item) const;
  /// The names by which a region uses the data, or by which it writes the data.
  [[nodiscard]] NameSet of_region(const Step& begin, bool only_written) const;
  /// The same for a statement of the host.
  [[nodiscard]] NameSet of_statement(const Step& step, bool only_written) const;
  /// The renaming that a step does. None: the step sets none of the names.
  [[nodiscard]] std::optional<Renaming> renaming(const Step& step) const;
  /// Whether the function saves the value of a pointer in another pointer of the set: `kept =
  /// pointer`.
  [[nodiscard]] bool is_saved(const Step& step, const DataName& name, const NameSet& in) const;

 private:
  [[nodiscard]] DataName resolved(std::uint32_t call, Path path) const;
  [[nodiscard]] std::optional<DataName> named_by(std::uint32_t call, const Expr& pointer) const;

  const Trail& trail_;
  std::set<Path> known_;  ///< and the pointers that are set to one of them
};

/// The section of an item as text, or all elements of an array without a section. Two texts are
/// equal where the items name the same elements at their steps. Variables in the bounds have the
/// names of the callers' arguments.
std::string section_of(const Trail& trail, const Step& step, const Expr& item);

/// The path to a pointer or an array, by the names in an expression. A section or an element has
/// the path of its array. None: it has no plain name.
std::optional<Path> path_by_name(const Expr& expression);

}  // namespace ompdm::edit
