#include "trace/pointer_types.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

#include <algorithm>
#include <cctype>
#include <string_view>

namespace ompdm::trace {

std::optional<std::uint64_t> fixed_address(Dwarf_Die* variable) {
  Dwarf_Attribute location;
  Dwarf_Op* ops = nullptr;
  std::size_t count = 0;
  if (dwarf_attr(variable, DW_AT_location, &location) == nullptr ||
      dwarf_getlocation(&location, &ops, &count) != 0 || count != 1) {
    return std::nullopt;
  }
  if (ops[0].atom == DW_OP_addr) return ops[0].number;
  Dwarf_Attribute indexed;
  Dwarf_Addr address = 0;
  const bool is_indexed = ops[0].atom == DW_OP_addrx || ops[0].atom == DW_OP_GNU_addr_index;
  if (!is_indexed || dwarf_getlocation_attr(&location, ops, &indexed) != 0 ||
      dwarf_formaddr(&indexed, &address) != 0) {
    return std::nullopt;
  }
  return address;
}

namespace {

constexpr int kDeepestType = 32;  // of types in types, which damaged files may have without end

std::optional<Dwarf_Die> type_of(Dwarf_Die* die) {
  Dwarf_Attribute attribute;
  Dwarf_Die type;
  if (dwarf_attr_integrate(die, DW_AT_type, &attribute) == nullptr ||
      dwarf_formref_die(&attribute, &type) == nullptr || dwarf_peel_type(&type, &type) != 0) {
    return std::nullopt;
  }
  return type;
}

bool is_pointer(Dwarf_Die* type) {
  const int tag = dwarf_tag(type);
  return tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type ||
         tag == DW_TAG_rvalue_reference_type;
}

bool is_aggregate(Dwarf_Die* type) {
  const int tag = dwarf_tag(type);
  return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

/// Whether a value of the type has pointers in it, at any depth.
bool holds_pointers(Dwarf_Die* type, int depth) {
  if (is_pointer(type) || depth > kDeepestType) return true;
  // Fortran's allocatable and pointer arrays are described by pointers.
  if (dwarf_tag(type) == DW_TAG_array_type) {
    if (dwarf_hasattr(type, DW_AT_allocated) != 0 || dwarf_hasattr(type, DW_AT_associated) != 0) {
      return true;
    }
    std::optional<Dwarf_Die> element = type_of(type);
    return !element || holds_pointers(&*element, depth + 1);
  }
  Dwarf_Die member;
  if (!is_aggregate(type) || dwarf_child(type, &member) != 0) return false;
  do {
    const int tag = dwarf_tag(&member);
    // A static member is declared here, and lies elsewhere.
    if (tag != DW_TAG_inheritance &&
        (tag != DW_TAG_member || dwarf_hasattr(&member, DW_AT_external) != 0)) {
      continue;
    }
    std::optional<Dwarf_Die> inner = type_of(&member);
    if (!inner || holds_pointers(&*inner, depth + 1)) return true;
  } while (dwarf_siblingof(&member, &member) == 0);
  return false;
}

std::optional<Dwarf_Die> member_of(Dwarf_Die* aggregate, std::string_view name, int depth = 0) {
  Dwarf_Die member;
  if (!is_aggregate(aggregate) || depth > kDeepestType || dwarf_child(aggregate, &member) != 0) {
    return std::nullopt;
  }
  do {
    const char* own = dwarf_diename(&member);
    if (dwarf_tag(&member) == DW_TAG_member && own != nullptr && own == name) {
      return type_of(&member);
    }
    if (dwarf_tag(&member) != DW_TAG_inheritance) continue;
    std::optional<Dwarf_Die> base = type_of(&member);
    if (!base) continue;
    if (const auto found = member_of(&*base, name, depth + 1)) return found;
  } while (dwarf_siblingof(&member, &member) == 0);
  return std::nullopt;
}

/// What a pointer points to, or an array's elements are.
std::optional<Dwarf_Die> target_of(Dwarf_Die type) {
  if (!is_pointer(&type) && dwarf_tag(&type) != DW_TAG_array_type) return std::nullopt;
  return type_of(&type);
}

std::optional<Dwarf_Die> without_reference(std::optional<Dwarf_Die> type) {
  if (!type) return type;
  const int tag = dwarf_tag(&*type);
  const bool refers = tag == DW_TAG_reference_type || tag == DW_TAG_rvalue_reference_type;
  return refers ? type_of(&*type) : type;
}

std::string_view name_at(std::string_view text) {
  std::size_t size = 0;
  while (size < text.size() &&
         (std::isalnum(static_cast<unsigned char>(text[size])) != 0 || text[size] == '_')) {
    ++size;
  }
  return text.substr(0, size);
}

/// Whether pointers may lie in the memory that a value of the type points to. What an untyped
/// pointer, or one to bytes, points to is not known.
bool leads_to_pointers(Dwarf_Die* type) {
  if (!is_pointer(type)) return false;
  std::optional<Dwarf_Die> target = type_of(type);
  Dwarf_Word bytes = 0;
  return !target || holds_pointers(&*target, 0) ||
         (dwarf_aggregate_size(&*target, &bytes) == 0 && bytes == 1);
}

/// A variable or parameter of that name in a scope, or in the blocks inside it.
std::optional<Dwarf_Die> variable_in(Dwarf_Die* scope, std::string_view name, bool in_blocks,
                                     int depth = 0) {
  Dwarf_Die child;
  if (depth > kDeepestType || dwarf_child(scope, &child) != 0) return std::nullopt;
  do {
    const int tag = dwarf_tag(&child);
    const char* own = dwarf_diename(&child);
    const bool is_variable = tag == DW_TAG_variable || tag == DW_TAG_formal_parameter;
    if (is_variable && own != nullptr && own == name) return child;
    if (!in_blocks || tag != DW_TAG_lexical_block) continue;
    if (const auto found = variable_in(&child, name, true, depth + 1)) return found;
  } while (dwarf_siblingof(&child, &child) == 0);
  return std::nullopt;
}

/// What a name stands for. Where a function was inlined, what it was inlined from knows
/// variables that were optimized away.
std::optional<Dwarf_Die> declared(std::vector<Dwarf_Die> scopes, std::string_view name) {
  std::optional<Dwarf_Die> found;
  for (Dwarf_Die& scope : scopes) {
    found = variable_in(&scope, name, false);
    Dwarf_Attribute attribute;
    Dwarf_Die origin;
    if (!found && dwarf_attr(&scope, DW_AT_abstract_origin, &attribute) != nullptr &&
        dwarf_formref_die(&attribute, &origin) != nullptr) {
      found = variable_in(&origin, name, true);
    }
    if (found) break;
  }
  return found;
}

/// The type of what follows a name: members and subscripts, one after the other.
std::optional<Dwarf_Die> selected(std::optional<Dwarf_Die> type, std::string_view selectors) {
  while (type && !selectors.empty()) {
    type = without_reference(type);
    if (!type) break;
    if (selectors.front() == '[') {
      int depth = 0;
      std::size_t end = 0;
      do {
        depth += selectors[end] == '[' ? 1 : selectors[end] == ']' ? -1 : 0;
        ++end;
      } while (depth > 0 && end < selectors.size());
      selectors.remove_prefix(end);
      type = target_of(*type);
      continue;
    }
    const bool by_pointer = selectors.starts_with("->");
    if (!by_pointer && selectors.front() != '.') return std::nullopt;
    selectors.remove_prefix(by_pointer ? 2 : 1);
    if (by_pointer) type = target_of(*type);
    const std::string_view name = name_at(selectors);
    selectors.remove_prefix(name.size());
    if (type) type = member_of(&*type, name);
  }
  return type;
}

int line_of(Dwarf_Die* variable) {
  Dwarf_Attribute attribute;
  Dwarf_Word line = 0;
  const bool is_known = dwarf_attr_integrate(variable, DW_AT_decl_line, &attribute) != nullptr &&
                        dwarf_formudata(&attribute, &line) == 0;
  return is_known ? static_cast<int>(line) : 0;
}

void add_globals(Dwarf_Die* parent, int depth, std::map<std::uint64_t, bool>& pointers) {
  Dwarf_Die child;
  if (depth > kDeepestType || dwarf_child(parent, &child) != 0) return;
  do {
    switch (dwarf_tag(&child)) {
      case DW_TAG_variable:
        if (const auto address = fixed_address(&child)) {
          std::optional<Dwarf_Die> type = type_of(&child);
          if (type) pointers.emplace(*address, holds_pointers(&*type, 0));
        }
        break;
      case DW_TAG_namespace:
      case DW_TAG_module:
      case DW_TAG_subprogram:
      case DW_TAG_lexical_block:
        add_globals(&child, depth + 1, pointers);
        break;
      default:
        break;
    }
  } while (dwarf_siblingof(&child, &child) == 0);
}

/// The names in an expression that are no members' names: "u" and "n" of "u[0:s->n * n]", and "s".
std::vector<std::string_view> names_in(std::string_view text) {
  std::vector<std::string_view> names;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view name = name_at(text.substr(at));
    if (name.empty()) {
      ++at;
      continue;
    }
    const std::string_view before = text.substr(0, at);
    const bool is_member = before.ends_with('.') || before.ends_with("->");
    const bool is_number = std::isdigit(static_cast<unsigned char>(name.front())) != 0;
    if (!is_member && !is_number && name != "this") names.push_back(name);
    at += name.size();
  }
  return names;
}

/// Line from which on a name is known; 0 where that is not known.
int known_from(const std::vector<Dwarf_Die>& scopes, std::string_view name) {
  constexpr int kAlways = 1;
  if (std::optional<Dwarf_Die> variable = declared(scopes, name)) {
    return dwarf_tag(&*variable) == DW_TAG_variable ? line_of(&*variable) : kAlways;
  }
  if (scopes.empty()) return 0;
  Dwarf_Die scope = scopes.back();
  Dwarf_Die unit;
  if (dwarf_diecu(&scope, &unit, nullptr, nullptr) == nullptr) return 0;
  return variable_in(&unit, name, false) ? kAlways : 0;
}

int scope_line_of(const std::vector<Dwarf_Die>& scopes, std::string_view expression) {
  int latest = 1;
  for (const std::string_view name : names_in(expression)) {
    const int line = known_from(scopes, name);
    if (line == 0) return 0;
    latest = std::max(latest, line);
  }
  return latest;
}

}  // namespace

ItemDeclaration declaration_of(const std::vector<Dwarf_Die>& scopes,
                               const std::string& expression) {
  ItemDeclaration item;
  std::string_view text = expression;
  const bool dereferences = text.starts_with('*');
  if (dereferences) text.remove_prefix(1);
  const std::string_view name = name_at(text);
  if (name.empty()) return item;
  item.scope_line = scope_line_of(scopes, expression);
  std::optional<Dwarf_Die> variable = declared(scopes, name);
  if (!variable) return item;
  const bool is_local = dwarf_tag(&*variable) == DW_TAG_variable && !fixed_address(&*variable);
  if (is_local) item.local_line = line_of(&*variable);
  auto type = selected(type_of(&*variable), text.substr(name.size()));
  type = without_reference(type);
  if (type && dereferences) type = target_of(*type);
  item.is_aggregate = type && (is_aggregate(&*type) || dwarf_tag(&*type) == DW_TAG_array_type);
  if (type) item.leads_to_pointers = leads_to_pointers(&*type);
  while (type && dwarf_tag(&*type) == DW_TAG_array_type) type = type_of(&*type);
  if (type) item.names_pointers = is_pointer(&*type);
  return item;
}

GlobalTypes::GlobalTypes(Dwfl_Module* module) {
  Dwarf_Addr bias = 0;
  Dwarf_Die* unit = nullptr;
  while ((unit = dwfl_module_nextcu(module, unit, &bias)) != nullptr) {
    add_globals(unit, 0, pointers_);
  }
}

std::optional<bool> GlobalTypes::holds_pointers(std::uint64_t address) const {
  const auto at = pointers_.find(address);
  return at == pointers_.end() ? std::nullopt : std::optional(at->second);
}

}  // namespace ompdm::trace
