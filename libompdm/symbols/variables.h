// Names of global variables and of Fortran's variables.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "spool_reader/draft.h"

struct Dwfl_Module;

namespace ompdm::trace {

/// A declaration in the source.
struct Declaration {
  std::string file;
  int line = 0;  ///< 0: unknown
};

class FortranVariables {
 public:
  /// Reads all of them; `module` is needed no longer.
  explicit FortranVariables(Dwfl_Module* module);

  /// Names in lower case, as compilers write them.
  [[nodiscard]] Declaration find(const std::string& fortran_module,
                                 const std::string& variable) const;

 private:
  std::map<std::pair<std::string, std::string>, Declaration> declarations_;
};

class Symbols;

/// A variable at a fixed address of a module.
struct GlobalVariable {
  std::string name;
  Declaration declared;
  std::uint64_t bytes = 0;
  bool holds_pointers = true;  ///< it is a pointer, or has some in it; or that is not known
};

/// Those of a module, by address.
class GlobalVariables {
 public:
  /// Reads all of them; `module` is needed no longer.
  explicit GlobalVariables(Dwfl_Module* module);

  /// The one that holds a file address; null if none does.
  [[nodiscard]] const GlobalVariable* at(std::uint64_t address) const;

 private:
  std::map<std::uint64_t, GlobalVariable> variables_;
};

/// Gives the trace's nameless variables the names of the globals that they lie in. Needs them
/// attributed.
void name_globals(Draft& draft, Symbols& symbols);

}  // namespace ompdm::trace
