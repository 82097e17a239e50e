#include "symbols/debug_info.h"

#include <dwarf.h>
#include <elfutils/libdwfl.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <regex>
#include <set>
#include <string_view>

#include "symbols/symbol_names.h"

namespace ompdm::trace {

namespace {

// Languages of DWARF 6 that older headers of libdw do not name.
constexpr int kCxx17 = 0x2a;
constexpr int kCxx20 = 0x2b;
constexpr int kC17 = 0x2c;

std::vector<Dwarf_Die> children_of(Dwarf_Die* parent) {
  std::vector<Dwarf_Die> children;
  Dwarf_Die child;
  if (dwarf_child(parent, &child) != 0) return children;
  do {
    children.push_back(child);
  } while (dwarf_siblingof(&child, &child) == 0);
  return children;
}

bool has_tag(Dwarf_Die* die, std::initializer_list<int> tags) {
  return std::ranges::find(tags, dwarf_tag(die)) != tags.end();
}

/// The file address of a variable that stays in its place.
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

/// The type of a variable, member, pointer's target or array's element, without its qualifiers.
std::optional<Dwarf_Die> type_of(Dwarf_Die* die) {
  Dwarf_Attribute attribute;
  Dwarf_Die type;
  if (dwarf_attr_integrate(die, DW_AT_type, &attribute) == nullptr ||
      dwarf_formref_die(&attribute, &type) == nullptr || dwarf_peel_type(&type, &type) != 0) {
    return std::nullopt;
  }
  return type;
}

constexpr int kDeepest = 64;      // of entries in entries, which damaged files may have without end
constexpr int kDeepestType = 32;  // of types in types, likewise

bool is_reference(Dwarf_Die* type) {
  return has_tag(type, {DW_TAG_reference_type, DW_TAG_rvalue_reference_type});
}

bool is_pointer(Dwarf_Die* type) {
  return dwarf_tag(type) == DW_TAG_pointer_type || is_reference(type);
}

bool is_aggregate(Dwarf_Die* type) {
  return has_tag(type, {DW_TAG_structure_type, DW_TAG_class_type, DW_TAG_union_type});
}

/// Whether a value of the type has pointers in it, at any depth.
bool holds_pointers(Dwarf_Die* type, int depth = 0) {
  if (is_pointer(type) || depth > kDeepestType) return true;
  // Fortran's allocatable and pointer arrays are described by pointers.
  if (dwarf_tag(type) == DW_TAG_array_type) {
    if (dwarf_hasattr(type, DW_AT_allocated) != 0 || dwarf_hasattr(type, DW_AT_associated) != 0) {
      return true;
    }
    std::optional<Dwarf_Die> element = type_of(type);
    return !element || holds_pointers(&*element, depth + 1);
  }
  if (!is_aggregate(type)) return false;
  return std::ranges::any_of(children_of(type), [depth](Dwarf_Die& member) {
    // A static member is declared here, and lies elsewhere.
    const bool is_member =
        dwarf_tag(&member) == DW_TAG_member && dwarf_hasattr(&member, DW_AT_external) == 0;
    if (!is_member && dwarf_tag(&member) != DW_TAG_inheritance) return false;
    std::optional<Dwarf_Die> inner = type_of(&member);
    return !inner || holds_pointers(&*inner, depth + 1);
  });
}

bool is_named(Dwarf_Die* die, std::string_view name) {
  const char* own = dwarf_diename(die);
  return own != nullptr && own == name;
}

std::optional<Dwarf_Die> member_of(Dwarf_Die* aggregate, std::string_view name, int depth = 0) {
  if (!is_aggregate(aggregate) || depth > kDeepestType) return std::nullopt;
  for (Dwarf_Die member : children_of(aggregate)) {
    if (dwarf_tag(&member) == DW_TAG_member && is_named(&member, name)) return type_of(&member);
    if (dwarf_tag(&member) != DW_TAG_inheritance) continue;
    std::optional<Dwarf_Die> base = type_of(&member);
    if (!base) continue;
    if (const auto found = member_of(&*base, name, depth + 1)) return found;
  }
  return std::nullopt;
}

/// What a pointer points to, or an array's elements are.
std::optional<Dwarf_Die> target_of(Dwarf_Die type) {
  if (!is_pointer(&type) && dwarf_tag(&type) != DW_TAG_array_type) return std::nullopt;
  return type_of(&type);
}

std::optional<Dwarf_Die> without_reference(std::optional<Dwarf_Die> type) {
  return type && is_reference(&*type) ? type_of(&*type) : type;
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
  if (depth > kDeepestType) return std::nullopt;
  for (Dwarf_Die child : children_of(scope)) {
    const bool is_variable = has_tag(&child, {DW_TAG_variable, DW_TAG_formal_parameter});
    if (is_variable && is_named(&child, name)) return child;
    if (!in_blocks || dwarf_tag(&child) != DW_TAG_lexical_block) continue;
    if (const auto found = variable_in(&child, name, true, depth + 1)) return found;
  }
  return std::nullopt;
}

/// What a name stands for. Where a function was inlined, what it was inlined from knows
/// variables that were optimized away.
std::optional<Dwarf_Die> declared(std::vector<Dwarf_Die> scopes, std::string_view name) {
  for (Dwarf_Die& scope : scopes) {
    std::optional<Dwarf_Die> found = variable_in(&scope, name, false);
    Dwarf_Attribute attribute;
    Dwarf_Die origin;
    if (!found && dwarf_attr(&scope, DW_AT_abstract_origin, &attribute) != nullptr &&
        dwarf_formref_die(&attribute, &origin) != nullptr) {
      found = variable_in(&origin, name, true);
    }
    if (found) return found;
  }
  return std::nullopt;
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

Dwarf_Word attribute_number(Dwarf_Die* die, unsigned name) {
  Dwarf_Attribute attribute;
  Dwarf_Word value = 0;
  const bool is_known = dwarf_attr_integrate(die, name, &attribute) != nullptr &&
                        dwarf_formudata(&attribute, &value) == 0;
  return is_known ? value : 0;
}

int line_of(Dwarf_Die* variable) {
  return static_cast<int>(attribute_number(variable, DW_AT_decl_line));
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

/// Whether what `selectors` select of a variable lies in the function's frame, be it optimized
/// away.
bool is_automatic(Dwarf_Die variable, std::string_view selectors) {
  const std::optional<Dwarf_Die> type = type_of(&variable);
  Dwarf_Die own = type.value_or(Dwarf_Die{});
  const bool is_object = type && !is_pointer(&own) && !fixed_address(&variable);
  if (!is_object || selectors.find("->") != std::string_view::npos) return false;
  // An element of a member may be reached by a pointer.
  return selectors.find('[') == std::string_view::npos || dwarf_tag(&own) == DW_TAG_array_type;
}

/// As its variable is declared in these scopes, innermost first.
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
  item.is_automatic = !dereferences && is_automatic(*variable, text.substr(name.size()));
  auto type = selected(type_of(&*variable), text.substr(name.size()));
  type = without_reference(type);
  if (type && dereferences) type = target_of(*type);
  item.is_aggregate = type && (is_aggregate(&*type) || dwarf_tag(&*type) == DW_TAG_array_type);
  if (type) item.leads_to_pointers = leads_to_pointers(&*type);
  while (type && dwarf_tag(&*type) == DW_TAG_array_type) type = type_of(&*type);
  if (type) item.names_pointers = is_pointer(&*type);
  return item;
}

std::string text(const char* maybe) { return maybe == nullptr ? std::string() : maybe; }

std::string attribute_text(Dwarf_Die* die, unsigned name) {
  Dwarf_Attribute attribute;
  if (dwarf_attr_integrate(die, name, &attribute) == nullptr) return {};
  return text(dwarf_formstring(&attribute));
}

// A Fortran procedure has its plain name where the linker's is that and an underscore.
std::string linker_name(Dwarf_Die* die) {
  const std::string linkage = attribute_text(die, DW_AT_linkage_name);
  std::string name = attribute_text(die, DW_AT_name);
  return linkage.empty() || linkage == name + '_' ? name : linkage;
}

// A line table joins names with the compilation folder. A unit that was given by a relative name
// gets its files again as the compiler was given them.
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

// The functions around an address, innermost first, each with its place: of a caller, that of the
// call that was inlined.
void read_functions(Dwarf_Die* unit, std::vector<Dwarf_Die> scopes, CodePlace& place) {
  Dwarf_Files* files = nullptr;
  dwarf_getsrcfiles(unit, &files, nullptr);
  Frame frame = place;
  for (Dwarf_Die& scope : scopes) {
    const int tag = dwarf_tag(&scope);
    if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram) continue;
    const std::string name = linker_name(&scope);
    const std::string written = written_function(name);
    frame.function = demangle(written);
    if (!written.empty()) place.functions.push_back(frame.function);
    // A function that the compiler outlined stands where its function does, and adds nothing.
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

/// The value whose addresses hold this one; null if none does.
template <class Value>
Value* find(AddressRanges<Value>& ranges, std::uint64_t address) {
  const auto after = ranges.upper_bound(address);
  if (after == ranges.begin()) return nullptr;
  auto& [begin, range] = *std::prev(after);
  return address - begin < range.first ? &range.second : nullptr;
}

/// Adds a value for the addresses of a unit's or function's code.
template <class Value>
void add_ranges(Dwarf_Die* die, const Value& value, AddressRanges<Value>& ranges) {
  Dwarf_Addr base = 0;
  Dwarf_Addr begin = 0;
  Dwarf_Addr end = 0;
  for (std::ptrdiff_t at = 0; (at = dwarf_ranges(die, at, &base, &begin, &end)) > 0;) {
    if (begin < end) ranges.insert({begin, {end - begin, value}});
  }
}

void add_functions(Dwarf_Die* parent, int depth, AddressRanges<Dwarf_Die>& functions) {
  if (depth > kDeepest) return;
  for (Dwarf_Die child : children_of(parent)) {
    const bool may_hold_functions =
        has_tag(&child, {DW_TAG_namespace, DW_TAG_module, DW_TAG_class_type, DW_TAG_structure_type,
                         DW_TAG_subprogram, DW_TAG_lexical_block});
    if (!may_hold_functions) continue;
    add_functions(&child, depth + 1, functions);
    if (dwarf_tag(&child) == DW_TAG_subprogram) add_ranges(&child, child, functions);
  }
}

std::optional<Dwarf_Die> inner_scope(Dwarf_Die* scope, std::uint64_t address) {
  for (Dwarf_Die child : children_of(scope)) {
    const bool is_scope = has_tag(&child, {DW_TAG_inlined_subroutine, DW_TAG_lexical_block,
                                           DW_TAG_try_block, DW_TAG_catch_block});
    if (is_scope && dwarf_haspc(&child, address) > 0) return child;
  }
  return std::nullopt;
}

void add_globals(Dwarf_Die* parent, int depth, AddressRanges<GlobalVariable>& variables) {
  if (depth > kDeepestType) return;
  for (Dwarf_Die child : children_of(parent)) {
    if (has_tag(&child,
                {DW_TAG_namespace, DW_TAG_module, DW_TAG_subprogram, DW_TAG_lexical_block})) {
      add_globals(&child, depth + 1, variables);
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
    GlobalVariable variable{text(dwarf_formstring(&name)), {}, holds_pointers(&*type)};
    if (const char* file = dwarf_decl_file(&child)) variable.declared.file = file;
    dwarf_decl_line(&child, &variable.declared.line);
    variables.insert({*address, {bytes, std::move(variable)}});
  }
}

bool is_fortran(Dwarf_Die* unit) {
  constexpr int kFortran[] = {DW_LANG_Fortran77, DW_LANG_Fortran90, DW_LANG_Fortran95,
                              DW_LANG_Fortran03, DW_LANG_Fortran08};
  return std::ranges::find(kFortran, dwarf_srclang(unit)) != std::end(kFortran);
}

/// The standard that a language says, for -std. Empty where it says none: compilers write
/// C_plus_plus_14 and C11 of all later ones, too.
std::string standard_of(int language) {
  switch (language) {
    case DW_LANG_C89:
      return "gnu89";
    case DW_LANG_C99:
      return "gnu99";
    case DW_LANG_C_plus_plus:
      return "gnu++98";
    case DW_LANG_C_plus_plus_03:
      return "gnu++03";
    case DW_LANG_C_plus_plus_11:
      return "gnu++11";
    case kC17:
      return "gnu17";
    case kCxx17:
      return "gnu++17";
    case kCxx20:
      return "gnu++20";
    default:
      return {};
  }
}

/// GCC writes its language before its version: "GNU C++20 13.2.0 -g -O2". Empty: another
/// compiler's.
std::string standard_of(const std::string& producer) {
  static const std::regex kGnu(R"(GNU C(\+\+)?(\d\d) .*)");
  std::smatch found;
  if (!std::regex_match(producer, found, kGnu)) return {};
  return "gnu" + found[1].str() + found[2].str();
}

/// The words of a producer. Clang writes `\` before a blank or `\` that belongs to a word.
std::vector<std::string> words_of(const std::string& producer) {
  std::vector<std::string> words(1);
  for (std::size_t i = 0; i < producer.size(); ++i) {
    if (producer[i] == ' ') {
      words.emplace_back();
    } else {
      const bool is_escape = producer[i] == '\\' && i + 1 < producer.size();
      words.back() += producer[is_escape ? ++i : i];
    }
  }
  return words;
}

bool is_cxx(int language) {
  constexpr int kAll[] = {DW_LANG_C_plus_plus,
                          DW_LANG_C_plus_plus_03,
                          DW_LANG_C_plus_plus_11,
                          DW_LANG_C_plus_plus_14,
                          kCxx17,
                          kCxx20};
  return std::ranges::find(kAll, language) != std::end(kAll);
}

bool is_c(int language) {
  constexpr int kAll[] = {DW_LANG_C, DW_LANG_C89, DW_LANG_C99, DW_LANG_C11, kC17};
  return std::ranges::find(kAll, language) != std::end(kAll);
}

/// Adds the lines of declarations in a unit, a namespace or a class. The standard library's are not
/// asked for.
void add_declared(Dwarf_Die* around, int depth, std::map<std::string_view, std::set<int>>& lines) {
  if (depth > kDeepest) return;
  for (Dwarf_Die child : children_of(around)) {
    const char* file = dwarf_decl_file(&child);
    int line = 0;
    if (file != nullptr && dwarf_decl_line(&child, &line) == 0) lines[file].insert(line);
    const bool is_namespace = dwarf_tag(&child) == DW_TAG_namespace;
    const bool is_of_library =
        is_namespace && (is_named(&child, "std") || is_named(&child, "__gnu_cxx"));
    if ((is_namespace && !is_of_library) || is_aggregate(&child)) {
      add_declared(&child, depth + 1, lines);
    }
  }
}

/// The files of a unit's line table, with the lines of its code, functions, variables and types.
std::vector<CompiledFile> compiled_files_of(Dwarf_Die* unit) {
  std::vector<CompiledFile> all;
  std::map<std::string_view, std::set<int>> lines;
  Dwarf_Lines* rows = nullptr;
  std::size_t count = 0;
  if (dwarf_getsrclines(unit, &rows, &count) == 0) {
    for (std::size_t i = 0; i < count; ++i) {
      Dwarf_Line* row = dwarf_onesrcline(rows, i);
      const char* file = dwarf_linesrc(row, nullptr, nullptr);
      int line = 0;
      if (file != nullptr && dwarf_lineno(row, &line) == 0 && line > 0) lines[file].insert(line);
    }
  }
  add_declared(unit, 0, lines);
  Dwarf_Files* files = nullptr;
  if (dwarf_getsrcfiles(unit, &files, &count) != 0) return all;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string path = text(dwarf_filesrc(files, i, nullptr, nullptr));
    const bool is_known = std::ranges::find(all, path, &CompiledFile::path) != all.end();
    if (path.empty() || path == "???" || is_known) continue;
    const std::set<int>& of = lines[path];
    all.push_back({path, {of.begin(), of.end()}});
  }
  return all;
}

/// Empty `name`: the unit is neither C nor C++.
CompileUnit compile_unit_of(Dwarf_Die* entry) {
  const int language = dwarf_srclang(entry);
  CompileUnit unit;
  unit.is_cxx = is_cxx(language);
  if (!unit.is_cxx && !is_c(language)) return {};
  unit.name = attribute_text(entry, DW_AT_name);
  unit.directory = attribute_text(entry, DW_AT_comp_dir);
  const std::string producer = attribute_text(entry, DW_AT_producer);
  unit.standard = standard_of(producer);
  if (unit.standard.empty()) unit.standard = standard_of(language);
  unit.words = words_of(producer);
  unit.files = compiled_files_of(entry);
  return unit;
}

bool has_flag(Dwarf_Die* die, unsigned name) {
  Dwarf_Attribute attribute;
  bool flag = false;
  return dwarf_attr(die, name, &attribute) != nullptr && dwarf_formflag(&attribute, &flag) == 0 &&
         flag;
}

}  // namespace

DebugInfo::DebugInfo(Dwfl_Module* module) {
  Dwarf_Die* unit = nullptr;
  while (module != nullptr && (unit = dwfl_module_nextcu(module, unit, &bias_)) != nullptr) {
    add_ranges(unit, units_.size(), unit_ranges_);
    units_.push_back({*unit, {}});
  }
}

DebugInfo::Unit* DebugInfo::unit_at(std::uint64_t address) {
  const std::size_t* number = find(unit_ranges_, address);
  return number == nullptr ? nullptr : &units_[*number];
}

/// The entries around an address, innermost first, the function last; empty if it is in none.
std::vector<Dwarf_Die> DebugInfo::scopes_at(Unit& unit, std::uint64_t address) {
  if (unit.functions.empty()) add_functions(&unit.entry, 0, unit.functions);
  std::vector<Dwarf_Die> scopes;
  const Dwarf_Die* function = find(unit.functions, address);
  std::optional<Dwarf_Die> next = function == nullptr ? std::nullopt : std::optional(*function);
  while (next && scopes.size() < kDeepest) {
    scopes.push_back(*next);
    next = inner_scope(&scopes.back(), address);
  }
  std::ranges::reverse(scopes);
  return scopes;
}

CodePlace DebugInfo::at(std::uint64_t address) {
  CodePlace place;
  Unit* unit = unit_at(address - bias_);
  if (unit == nullptr) return place;
  read_line(&unit->entry, address - bias_, place);
  read_functions(&unit->entry, scopes_at(*unit, address - bias_), place);
  return place;
}

ItemDeclaration DebugInfo::item_at(std::uint64_t address, const std::string& expression) {
  Unit* unit = unit_at(address - bias_);
  if (unit == nullptr) return {};
  return declaration_of(scopes_at(*unit, address - bias_), expression);
}

const GlobalVariable* DebugInfo::global_at(std::uint64_t address) {
  if (!globals_) {
    globals_.emplace();
    for (Unit& unit : units_) add_globals(&unit.entry, 0, *globals_);
  }
  return find(*globals_, address);
}

Declaration DebugInfo::fortran_variable(const std::string& fortran_module,
                                        const std::string& variable) {
  const auto add_variables = [&](Dwarf_Die* module) {
    const char* module_name = dwarf_diename(module);
    for (Dwarf_Die child : children_of(module)) {
      const char* name = dwarf_diename(&child);
      const char* file = dwarf_decl_file(&child);
      int line = 0;
      // Units that use a module repeat its variables, as if they were declared there.
      const bool is_declared = has_tag(&child, {DW_TAG_variable}) && module_name != nullptr &&
                               name != nullptr && file != nullptr &&
                               !has_flag(&child, DW_AT_declaration) &&
                               dwarf_decl_line(&child, &line) == 0;
      if (is_declared) fortran_variables_->insert({{module_name, name}, {file, line}});
    }
  };
  if (!fortran_variables_) {
    fortran_variables_.emplace();
    for (Unit& unit : units_) {
      if (!is_fortran(&unit.entry)) continue;
      for (Dwarf_Die child : children_of(&unit.entry)) {
        if (has_tag(&child, {DW_TAG_module})) add_variables(&child);
      }
    }
  }
  const auto at = fortran_variables_->find({fortran_module, variable});
  return at == fortran_variables_->end() ? Declaration{} : at->second;
}

std::vector<CompileUnit> DebugInfo::compile_units() {
  std::vector<CompileUnit> units;
  for (Unit& unit : units_) {
    CompileUnit one = compile_unit_of(&unit.entry);
    if (!one.name.empty()) units.push_back(std::move(one));
  }
  return units;
}

}  // namespace ompdm::trace
