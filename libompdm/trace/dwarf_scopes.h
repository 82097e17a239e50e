// What an address lies in by debug information: functions, calls that were inlined into them,
// blocks. libdw's own search does not look into namespaces, where C++ keeps its functions.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <map>
#include <vector>

namespace ompdm::trace {

/// The functions of one compilation unit.
class DwarfScopes {
 public:
  /// Reads where they lie.
  explicit DwarfScopes(Dwarf_Die unit);

  /// The entries around an address of the unit's, innermost first, the function last; empty if it
  /// is in none.
  [[nodiscard]] std::vector<Dwarf_Die> at(std::uint64_t address) const;

 private:
  struct Function {
    std::uint64_t end = 0;
    Dwarf_Die entry{};
  };
  void add_functions(Dwarf_Die* parent, int depth);

  std::map<std::uint64_t, Function> functions_;  // by begin of each of their ranges
};

}  // namespace ompdm::trace
