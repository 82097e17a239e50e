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

/// By module and name, in lower case as compilers write them.
using FortranVariables = std::map<std::pair<std::string, std::string>, Declaration>;
FortranVariables fortran_variables_of(Dwfl_Module* module);

/// A variable at a fixed address of a module.
struct GlobalVariable {
  std::string name;
  Declaration declared;
  std::uint64_t bytes = 0;
  bool holds_pointers = true;  ///< it is a pointer, or has some in it; or that is not known
};

/// By address.
using GlobalVariables = std::map<std::uint64_t, GlobalVariable>;
GlobalVariables global_variables_of(Dwfl_Module* module);

class Symbols;

/// Gives the trace's nameless variables the names of the globals that they lie in. Needs them
/// attributed.
void name_globals(DecodedTrace& decoded, Symbols& symbols);

}  // namespace ompdm::trace
