#include "trace/fortran_variables.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

namespace ompdm::trace {
namespace {

bool is_fortran(Dwarf_Die* unit) {
  switch (dwarf_srclang(unit)) {
    case DW_LANG_Fortran77:
    case DW_LANG_Fortran90:
    case DW_LANG_Fortran95:
    case DW_LANG_Fortran03:
    case DW_LANG_Fortran08:
      return true;
    default:
      return false;
  }
}

bool has_flag(Dwarf_Die* die, unsigned name) {
  Dwarf_Attribute attribute;
  bool flag = false;
  return dwarf_attr(die, name, &attribute) != nullptr && dwarf_formflag(&attribute, &flag) == 0 &&
         flag;
}

template <class Visit>
void for_children(Dwarf_Die* parent, int tag, const Visit& visit) {
  Dwarf_Die child;
  if (dwarf_child(parent, &child) != 0) return;
  do {
    if (dwarf_tag(&child) == tag) visit(&child);
  } while (dwarf_siblingof(&child, &child) == 0);
}

}  // namespace

FortranVariables::FortranVariables(Dwfl_Module* module) {
  Dwarf_Addr bias = 0;
  Dwarf_Die* unit = nullptr;
  while ((unit = dwfl_module_nextcu(module, unit, &bias)) != nullptr) {
    if (!is_fortran(unit)) continue;
    for_children(unit, DW_TAG_module, [&](Dwarf_Die* fortran_module) {
      const char* module_name = dwarf_diename(fortran_module);
      for_children(fortran_module, DW_TAG_variable, [&](Dwarf_Die* variable) {
        const char* name = dwarf_diename(variable);
        const char* file = dwarf_decl_file(variable);
        int line = 0;
        // Units that use a module repeat its variables, as if they were declared there.
        if (module_name == nullptr || name == nullptr || file == nullptr ||
            has_flag(variable, DW_AT_declaration) || dwarf_decl_line(variable, &line) != 0) {
          return;
        }
        declarations_.insert({{module_name, name}, {file, line}});
      });
    });
  }
}

Declaration FortranVariables::find(const std::string& fortran_module,
                                   const std::string& variable) const {
  const auto at = declarations_.find({fortran_module, variable});
  return at == declarations_.end() ? Declaration{} : at->second;
}

}  // namespace ompdm::trace
