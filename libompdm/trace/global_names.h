// Names for data that no clause names (an omp_target_memcpy's), as far as it lies in a variable at
// a fixed address: by debug information.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "trace/draft.h"
#include "trace/fortran_variables.h"

struct Dwfl_Module;

namespace ompdm::trace {

class Symbols;

/// A variable at a fixed address of a module.
struct GlobalVariable {
  std::string name;
  Declaration declared;
  std::uint64_t bytes = 0;
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
