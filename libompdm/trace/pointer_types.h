// Whether data can hold pointers, by its type in debug information. DWARF alone, within one module.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

struct Dwfl_Module;

namespace ompdm::trace {

/// Whether the elements that a map clause's item names (`t[0:n]`, `s->t[0:n]`) are pointers, as
/// its variable is declared in these scopes, innermost first; none if that is not known.
std::optional<bool> names_pointers(const std::vector<Dwarf_Die>& scopes,
                                   const std::string& expression);

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

}  // namespace ompdm::trace
