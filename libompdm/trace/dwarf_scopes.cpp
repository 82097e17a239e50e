#include "trace/dwarf_scopes.h"

#include <dwarf.h>

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace ompdm::trace {
namespace {

constexpr int kDeepest = 64;  // of entries in entries, which damaged files may have without end

bool may_hold_functions(int tag) {
  switch (tag) {
    case DW_TAG_namespace:
    case DW_TAG_module:
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_subprogram:
    case DW_TAG_lexical_block:
      return true;
    default:
      return false;
  }
}

bool is_inner_scope(int tag) {
  return tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block ||
         tag == DW_TAG_try_block || tag == DW_TAG_catch_block;
}

}  // namespace

DwarfScopes::DwarfScopes(Dwarf_Die unit) { add_functions(&unit, 0); }

void DwarfScopes::add_functions(Dwarf_Die* parent, int depth) {
  Dwarf_Die child;
  if (depth > kDeepest || dwarf_child(parent, &child) != 0) return;
  do {
    const int tag = dwarf_tag(&child);
    if (!may_hold_functions(tag)) continue;
    add_functions(&child, depth + 1);
    if (tag != DW_TAG_subprogram) continue;
    Dwarf_Addr base = 0;
    Dwarf_Addr begin = 0;
    Dwarf_Addr end = 0;
    for (std::ptrdiff_t at = 0; (at = dwarf_ranges(&child, at, &base, &begin, &end)) > 0;) {
      if (begin < end) functions_.insert({begin, {end, child}});
    }
  } while (dwarf_siblingof(&child, &child) == 0);
}

std::vector<Dwarf_Die> DwarfScopes::at(std::uint64_t address) const {
  std::vector<Dwarf_Die> scopes;
  const auto after = functions_.upper_bound(address);
  if (after == functions_.begin() || address >= std::prev(after)->second.end) return scopes;
  scopes.push_back(std::prev(after)->second.entry);
  Dwarf_Die child;
  bool is_inside = dwarf_child(&scopes.back(), &child) == 0;
  while (is_inside && scopes.size() < kDeepest) {
    if (is_inner_scope(dwarf_tag(&child)) && dwarf_haspc(&child, address) > 0) {
      scopes.push_back(child);
      is_inside = dwarf_child(&scopes.back(), &child) == 0;
    } else {
      is_inside = dwarf_siblingof(&child, &child) == 0;
    }
  }
  std::ranges::reverse(scopes);
  return scopes;
}

}  // namespace ompdm::trace
