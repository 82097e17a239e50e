// What the dynamic linker puts where in a module (System V ABI, chapter 5, and its AMD64
// supplement, 4.4 and 5.2).
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "trace/code/module_code.h"

namespace ompdm::trace {

/// What a pointer to a symbol is made to point to.
struct Import {
  std::string_view name;      ///< as long as the module's code is there
  std::uint64_t address = 0;  ///< the module's own symbol of that name; 0: it has none
};

class Imports {
 public:
  /// `code` must outlive this.
  explicit Imports(const ModuleCode& code);

  /// By what the pointer at an address is; null if it is none that the linker sets by name.
  [[nodiscard]] const Import* at(std::uint64_t pointer) const;
  /// The same of the pointer that a stub (an entry of the procedure linkage table) jumps by; null
  /// if what lies at the address is no stub.
  [[nodiscard]] const Import* behind(std::uint64_t stub) const;
  /// Where a pointer in the module's own data points to within the module; 0: not known.
  [[nodiscard]] std::uint64_t target_of(std::uint64_t pointer) const;

 private:
  struct Table {
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
  };
  void read(const Table& relocations, std::uint64_t symbols, const Table& strings);

  const ModuleCode& code_;
  std::map<std::uint64_t, Import> imports_;  // by the pointer's address
  Table moved_;                              // relocations that have no name
};

}  // namespace ompdm::trace
