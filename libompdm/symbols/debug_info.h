// DWARF: variables in scope at an address, and which types hold pointers.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

struct Dwfl_Module;

namespace ompdm::trace {

/// The declaration of a map clause's item (`t[0:n]`, `s->t[0:n]`).
struct ItemDeclaration {
  std::optional<bool> names_pointers;  ///< its elements are pointers; none: not known
  /// It is a pointer to memory in which pointers may lie; none: not known.
  std::optional<bool> leads_to_pointers;
  bool is_aggregate = false;  ///< it is an array or an object of a class; false: or not known
  /// The line of the variable that its name begins with, if the function makes it again in each
  /// call: no parameter, nothing static or global. 0: else, or not known.
  int local_line = 0;
  /// Line from which on all names in it are in scope, those of its section too (parameters and
  /// globals: from 1 on); 0: not known.
  int scope_line = 0;
};

std::vector<Dwarf_Die> children_of(Dwarf_Die* parent);

bool has_tag(Dwarf_Die* die, std::initializer_list<int> tags);

/// The type of a variable, member, pointer's target or array's element, without its qualifiers.
std::optional<Dwarf_Die> type_of(Dwarf_Die* die);

/// Whether a value of the type has pointers in it, at any depth.
bool holds_pointers(Dwarf_Die* type, int depth = 0);

/// The file address of a variable that stays in its place.
std::optional<std::uint64_t> fixed_address(Dwarf_Die* variable);

struct CodePlace;

class DwarfPlaces {
 public:
  /// `module` must outlive this.
  explicit DwarfPlaces(Dwfl_Module* module);
  ~DwarfPlaces();
  DwarfPlaces(const DwarfPlaces&) = delete;
  DwarfPlaces& operator=(const DwarfPlaces&) = delete;

  /// Empty where no compilation unit covers the address.
  CodePlace at(std::uint64_t address) const;

  /// What is known of a map clause's item, as its variable is declared there.
  ItemDeclaration item_at(std::uint64_t address, const std::string& expression) const;

 private:
  struct Units;
  std::unique_ptr<Units> units_;
};

}  // namespace ompdm::trace
