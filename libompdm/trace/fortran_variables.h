// Where the variables of Fortran modules are declared, by DWARF alone, within one loaded module.
#pragma once

#include <map>
#include <string>
#include <utility>

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

}  // namespace ompdm::trace
