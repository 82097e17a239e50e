// DWARF: variables in scope at an address, and which types hold pointers.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

struct Dwfl_Module;
struct Dwfl_Module;

namespace ompdm::trace {

/// What debug information tells of a map clause's item (`t[0:n]`, `s->t[0:n]`).
struct ItemDeclaration {
  std::optional<bool> names_pointers;  ///< its elements are pointers; none: not known
  /// It is a pointer to memory in which pointers may lie; none: not known.
  std::optional<bool> leads_to_pointers;
  bool is_aggregate = false;  ///< it is an array or an object of a class; false: or not known
  /// Where the variable that its name begins with is declared, if that is the function's own, made
  /// anew in each call: no parameter, nothing static or global. 0: else, or not known.
  int local_line = 0;
  /// Line from which on the function knows all names in it, those of its section too (parameters
  /// and globals: from 1 on); 0: not known.
  int scope_line = 0;
};

/// The file address of a variable that stays in its place.
std::optional<std::uint64_t> fixed_address(Dwarf_Die* variable);

/// As its variable is declared in these scopes, innermost first.
ItemDeclaration declaration_of(const std::vector<Dwarf_Die>& scopes, const std::string& expression);

/// The variables at fixed addresses of a module.
class GlobalTypes {
 public:
  /// Reads all of them; `module` is needed no longer.
  explicit GlobalTypes(Dwfl_Module* module);

  /// Whether the variable at a file address is a pointer, or has some in it; none if it is not
  /// known.
  [[nodiscard]] std::optional<bool> holds_pointers(std::uint64_t address) const;

 private:
  std::map<std::uint64_t, bool> pointers_;  // by address
};

struct CodePlace;
struct ItemDeclaration;

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
