#include "symbols/variables.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "symbols/debug_info.h"
#include "symbols/symbols.h"

namespace ompdm::trace {

namespace {

bool is_fortran(Dwarf_Die* unit) {
  constexpr int kFortran[] = {DW_LANG_Fortran77, DW_LANG_Fortran90, DW_LANG_Fortran95,
                              DW_LANG_Fortran03, DW_LANG_Fortran08};
  return std::ranges::find(kFortran, dwarf_srclang(unit)) != std::end(kFortran);
}

bool has_flag(Dwarf_Die* die, unsigned name) {
  Dwarf_Attribute attribute;
  bool flag = false;
  return dwarf_attr(die, name, &attribute) != nullptr && dwarf_formflag(&attribute, &flag) == 0 &&
         flag;
}

}  // namespace

FortranVariables fortran_variables_of(Dwfl_Module* module) {
  FortranVariables declarations;
  Dwarf_Addr bias = 0;
  Dwarf_Die* unit = nullptr;
  while ((unit = dwfl_module_nextcu(module, unit, &bias)) != nullptr) {
    if (!is_fortran(unit)) continue;
    for (Dwarf_Die fortran_module : children_of(unit)) {
      if (!has_tag(&fortran_module, {DW_TAG_module})) continue;
      const char* module_name = dwarf_diename(&fortran_module);
      for (Dwarf_Die variable : children_of(&fortran_module)) {
        const char* name = dwarf_diename(&variable);
        const char* file = dwarf_decl_file(&variable);
        int line = 0;
        // Units that use a module repeat its variables, as if they were declared there.
        const bool is_declared = has_tag(&variable, {DW_TAG_variable}) && module_name != nullptr &&
                                 name != nullptr && file != nullptr &&
                                 !has_flag(&variable, DW_AT_declaration) &&
                                 dwarf_decl_line(&variable, &line) == 0;
        if (is_declared) declarations.insert({{module_name, name}, {file, line}});
      }
    }
  }
  return declarations;
}

namespace {

constexpr int kDeepestEntry = 32;

void add_variables(Dwarf_Die* parent, int depth, GlobalVariables& variables) {
  if (depth > kDeepestEntry) return;
  for (Dwarf_Die child : children_of(parent)) {
    if (has_tag(&child,
                {DW_TAG_namespace, DW_TAG_module, DW_TAG_subprogram, DW_TAG_lexical_block})) {
      add_variables(&child, depth + 1, variables);
    }
    if (!has_tag(&child, {DW_TAG_variable})) continue;
    const std::optional<std::uint64_t> address = fixed_address(&child);
    std::optional<Dwarf_Die> type = address ? type_of(&child) : std::nullopt;
    Dwarf_Attribute name;
    Dwarf_Word bytes = 0;
    if (!type || dwarf_attr_integrate(&child, DW_AT_name, &name) == nullptr ||
        dwarf_aggregate_size(&*type, &bytes) != 0 || bytes == 0) {
      continue;
    }
    GlobalVariable variable{dwarf_formstring(&name), {}, bytes, holds_pointers(&*type)};
    if (const char* file = dwarf_decl_file(&child)) variable.declared.file = file;
    dwarf_decl_line(&child, &variable.declared.line);
    variables.emplace(*address, std::move(variable));
  }
}

/// The only module that lay at an address; none if several did, one after the other.
Index<Module> module_of(const DecodedTrace& decoded, std::uint64_t address) {
  Index<Module> found;
  for (std::uint32_t i = 0; i < decoded.module_ranges.size(); ++i) {
    const ModuleRange& range = decoded.module_ranges[i];
    if (address < range.begin || address >= range.end) continue;
    if (found) return {};
    found = Index<Module>{i};
  }
  return found;
}

}  // namespace

GlobalVariables global_variables_of(Dwfl_Module* module) {
  GlobalVariables variables;
  Dwarf_Addr bias = 0;
  Dwarf_Die* unit = nullptr;
  while ((unit = dwfl_module_nextcu(module, unit, &bias)) != nullptr) {
    add_variables(unit, 0, variables);
  }
  return variables;
}

void name_globals(DecodedTrace& decoded, Symbols& symbols) {
  Trace& trace = decoded.trace;
  for (Variable& variable : trace.variables) {
    if (!variable.name.empty()) continue;
    const Index<Module> module = module_of(decoded, variable.address);
    if (!module) continue;
    const std::uint64_t address = variable.address - trace.modules[module.value].bias;
    const GlobalVariable* global = symbols.global_at(module, address);
    if (global == nullptr) continue;
    variable.name = variable.expression = global->name;
    variable.file = global->declared.file;
    variable.line = global->declared.line;
  }
}

}  // namespace ompdm::trace
