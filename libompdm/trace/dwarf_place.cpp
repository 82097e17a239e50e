#include "trace/dwarf_place.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "trace/dwarf_scopes.h"
#include "trace/offload_names.h"
#include "trace/pointer_types.h"
#include "trace/symbols.h"

namespace ompdm::trace {

struct DwarfPlaces::Units {
  struct Range {
    std::uint64_t end = 0;
    std::uint32_t unit = 0;
  };
  struct Unit {
    Dwarf_Die entry{};
    std::optional<DwarfScopes> scopes;  // once they are asked for
  };
  std::map<std::uint64_t, Range> ranges;  // by begin
  std::vector<Unit> units;
  std::uint64_t bias = 0;  // between the module's addresses and its debug information's

  // The unit that an address of its debug information lies in; null if there is none.
  Unit* at(std::uint64_t address) {
    const auto after = ranges.upper_bound(address);
    if (after == ranges.begin() || address >= std::prev(after)->second.end) return nullptr;
    return &units[std::prev(after)->second.unit];
  }

  static std::vector<Dwarf_Die> scopes_at(Unit& unit, std::uint64_t address) {
    if (!unit.scopes) unit.scopes.emplace(unit.entry);
    return unit.scopes->at(address);
  }
};

namespace {

std::string text(const char* maybe) { return maybe == nullptr ? std::string() : maybe; }

std::string attribute_text(Dwarf_Die* die, unsigned name) {
  Dwarf_Attribute attribute;
  if (dwarf_attr_integrate(die, name, &attribute) == nullptr) return {};
  return text(dwarf_formstring(&attribute));
}

Dwarf_Word attribute_number(Dwarf_Die* die, unsigned name) {
  Dwarf_Attribute attribute;
  Dwarf_Word value = 0;
  if (dwarf_attr(die, name, &attribute) == nullptr) return 0;
  return dwarf_formudata(&attribute, &value) == 0 ? value : 0;
}

// Where the linker knows a Fortran procedure by its name and an underscore, the name says it all.
std::string linker_name(Dwarf_Die* die) {
  const std::string linkage = attribute_text(die, DW_AT_linkage_name);
  std::string name = attribute_text(die, DW_AT_name);
  return linkage.empty() || linkage == name + '_' ? name : linkage;
}

// A line table joins names with the compilation folder; a unit that was given by a relative name
// gets its files back as the compiler was given them.
std::string as_given(Dwarf_Die* unit, const char* file) {
  std::string path = text(file);
  if (attribute_text(unit, DW_AT_name).starts_with('/')) return path;
  const std::string folder = attribute_text(unit, DW_AT_comp_dir) + '/';
  if (folder.size() > 1 && path.starts_with(folder)) path.erase(0, folder.size());
  return path;
}

void read_line(Dwarf_Die* unit, std::uint64_t address, CodePlace& place) {
  Dwarf_Line* line = dwarf_getsrc_die(unit, address);
  if (line == nullptr) return;
  dwarf_lineno(line, &place.line);
  dwarf_linecol(line, &place.column);
  place.file = as_given(unit, dwarf_linesrc(line, nullptr, nullptr));
}

// The functions around an address, innermost first; an inlined one's caller stands where it was
// inlined.
void read_functions(Dwarf_Die* unit, std::vector<Dwarf_Die> scopes, CodePlace& place) {
  Dwarf_Files* files = nullptr;
  dwarf_getsrcfiles(unit, &files, nullptr);
  Frame frame{"", place.file, place.line, place.column};
  for (Dwarf_Die& scope : scopes) {
    const int tag = dwarf_tag(&scope);
    if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram) continue;
    const std::string name = linker_name(&scope);
    const std::string written = written_function(name);
    frame.function = demangle(written);
    if (!written.empty()) place.functions.push_back(frame.function);
    // What the compiler outlined stands where its function does, and says nothing more.
    if (written == name) place.inlined.push_back(frame);
    if (tag == DW_TAG_subprogram) break;
    const Dwarf_Word file = attribute_number(&scope, DW_AT_call_file);
    frame.file =
        files == nullptr ? "" : as_given(unit, dwarf_filesrc(files, file, nullptr, nullptr));
    frame.line = static_cast<int>(attribute_number(&scope, DW_AT_call_line));
    frame.column = static_cast<int>(attribute_number(&scope, DW_AT_call_column));
  }
  if (place.inlined.size() < 2) place.inlined.clear();
}

}  // namespace

DwarfPlaces::DwarfPlaces(Dwfl_Module* module) : units_(std::make_unique<Units>()) {
  Dwarf_Addr bias = 0;
  Dwarf_Die* unit = nullptr;
  while ((unit = dwfl_module_nextcu(module, unit, &bias)) != nullptr) {
    Dwarf_Addr base = 0;
    Dwarf_Addr begin = 0;
    Dwarf_Addr end = 0;
    units_->bias = bias;
    const auto number = static_cast<std::uint32_t>(units_->units.size());
    units_->units.push_back({*unit, std::nullopt});
    for (std::ptrdiff_t at = 0; (at = dwarf_ranges(unit, at, &base, &begin, &end)) > 0;) {
      if (begin < end) units_->ranges.insert({begin, {end, number}});
    }
  }
}

DwarfPlaces::~DwarfPlaces() = default;

CodePlace DwarfPlaces::at(std::uint64_t address) const {
  CodePlace place;
  address -= units_->bias;
  Units::Unit* unit = units_->at(address);
  if (unit == nullptr) return place;
  read_line(&unit->entry, address, place);
  read_functions(&unit->entry, Units::scopes_at(*unit, address), place);
  return place;
}

ItemDeclaration DwarfPlaces::item_at(std::uint64_t address, const std::string& expression) const {
  address -= units_->bias;
  Units::Unit* unit = units_->at(address);
  if (unit == nullptr) return {};
  return declaration_of(Units::scopes_at(*unit, address), expression);
}

}  // namespace ompdm::trace
