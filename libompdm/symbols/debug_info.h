// The DWARF of a module: places of code, variables in scope, and which types hold pointers.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ompdm/compile_units.h"
#include "ompdm/trace.h"

struct Dwfl_Module;

namespace ompdm::trace {

/// What debug information and symbol tables say of one address.
struct CodePlace : Frame {             ///< line 0: the compiler gave none
  std::vector<std::string> functions;  ///< all that the address lies in, innermost first, demangled
  std::vector<Frame> inlined;          ///< the chain, where inlining made one
};

/// The declaration of a map clause's item (`t[0:n]`, `s->t[0:n]`).
struct ItemDeclaration {
  std::optional<bool> names_pointers;  ///< its elements are pointers; none: not known
  /// It is a pointer to memory in which pointers may lie; none: not known.
  std::optional<bool> leads_to_pointers;
  bool is_aggregate = false;  ///< it is an array or an object of a class; false: or not known
  /// The line of the variable that its name begins with, if the function makes it again in each
  /// call: no parameter, nothing static or global. 0: else, or not known.
  int local_line = 0;
  /// It is the memory of a parameter or local variable, which is gone when the function returns.
  bool is_automatic = false;
  /// Line from which on all names in it are in scope, those of its section too (parameters and
  /// globals: from 1 on); 0: not known.
  int scope_line = 0;
};

/// A declaration in the source.
struct Declaration {
  std::string file;
  int line = 0;  ///< 0: unknown
};

/// A variable at a fixed address of a module.
struct GlobalVariable {
  std::string name;
  Declaration declared;
  bool holds_pointers = true;  ///< it is a pointer, or has some in it; or that is not known
};

/// Values by the begin of the addresses that they are of, and the number of these.
template <class Value>
using AddressRanges = std::map<std::uint64_t, std::pair<std::uint64_t, Value>>;

class DebugInfo {
 public:
  /// `module` must outlive this. Without one nothing is known.
  explicit DebugInfo(Dwfl_Module* module);

  /// Empty where no compilation unit covers the address.
  CodePlace at(std::uint64_t address);

  /// What is known of a map clause's item, as its variable is declared there.
  ItemDeclaration item_at(std::uint64_t address, const std::string& expression);

  /// The variable whose fixed place holds an address; null if none is known.
  const GlobalVariable* global_at(std::uint64_t address);

  /// Where a Fortran module's variable is declared. Names are in lower case, as compilers write
  /// them.
  Declaration fortran_variable(const std::string& fortran_module, const std::string& variable);

  /// How its sources of C and C++ were compiled.
  std::vector<CompileUnit> compile_units();

 private:
  struct Unit {
    Dwarf_Die entry{};
    AddressRanges<Dwarf_Die> functions;  // read once
  };
  Unit* unit_at(std::uint64_t address);
  static std::vector<Dwarf_Die> scopes_at(Unit& unit, std::uint64_t address);

  std::vector<Unit> units_;
  AddressRanges<std::size_t> unit_ranges_;  // positions in units_
  std::uint64_t bias_ = 0;  // between the module's addresses and its debug information's
  std::optional<AddressRanges<GlobalVariable>> globals_;
  std::optional<std::map<std::pair<std::string, std::string>, Declaration>> fortran_variables_;
};

}  // namespace ompdm::trace
