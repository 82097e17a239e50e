// By which names code uses data of several pieces, as where pointers are exchanged: a name stands
// for one piece until its pointer is set.
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

/// A pointer or an array, and the call of a function that it is a variable of (a position in
/// Trail::callers; 0 also of what all calls share).
using DataName = std::pair<std::uint32_t, Path>;
using NameSet = std::set<DataName>;

/// What a step does to the pointer that it sets.
struct Renaming {
  DataName name;
  std::optional<DataName> from;  ///< the pointer that it is set to; none: it is not known
  bool is_exchange = false;      ///< with `from`
  bool is_fresh = false;         ///< it is set to memory that is allocated there
};

/// Tells the names of data in one trail, which it refers to. Sets are empty where they are not
/// certain.
class DataNames {
 public:
  /// `known`: the names of the data, as items and parameters have them.
  DataNames(const Trail& trail, const WholeProgram& program, std::set<Path> known);

  /// None: it has no plain name.
  [[nodiscard]] std::optional<DataName> of_item(const Step& step, const Expr& item) const;
  /// What a region uses the data by, or only writes it by.
  [[nodiscard]] NameSet of_region(const Step& begin, bool only_written) const;
  /// The same of a statement of the host.
  [[nodiscard]] NameSet of_statement(const Step& step, bool only_written) const;
  /// None: the step sets none of the names.
  [[nodiscard]] std::optional<Renaming> renaming(const Step& step) const;
  /// Whether a function keeps what a pointer leads to in another one of the set: `kept = pointer`.
  [[nodiscard]] bool is_saved(const Step& step, const DataName& name, const NameSet& in) const;

 private:
  [[nodiscard]] DataName resolved(std::uint32_t call, Path path) const;
  [[nodiscard]] std::optional<DataName> named_by(std::uint32_t call, const Expr& pointer) const;

  const Trail& trail_;
  std::set<Path> known_;  ///< with pointers that are set to one of them
};

/// The section of an item, all of an array's elements where it has none: equal for items that name
/// as much where their directives are come by. Its variables are known by the names that parameters
/// are handed.
std::string section_of(const Trail& trail, const Step& step, const Expr& item);

/// The way to a pointer or an array, by the names that an expression has for it; sections and
/// elements are those of their array. None: it has no plain name.
std::optional<Path> path_by_name(const Expr& expression);

}  // namespace ompdm::edit
