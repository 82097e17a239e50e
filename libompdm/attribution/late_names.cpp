// Names that need the whole run: of flang's descriptors, and of storage that is reached by a
// pointer.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "spool_reader/passes.h"
#include "symbols/symbol_names.h"

namespace ompdm::trace {

namespace {

using Files = std::set<std::string>;

// The files that a site's items name, by their whole paths.
Files files_of(const SiteExtra& extra) {
  Files files;
  for (const std::string& name : extra.names) {
    const auto item = parse_flang_item(name);
    if (item && module_of_file(item->file).empty()) files.insert(item->file);
  }
  return files;
}

// The one that "heat.f90" or "src/heat.f90" means; `given` itself if none or several may be meant.
std::string whole_path(const std::string& given, const Files& files) {
  const auto is_meant = [&](const std::string& file) {
    return file == given || file.ends_with('/' + given);
  };
  const auto first = std::ranges::find_if(files, is_meant);
  return std::ranges::count_if(files, is_meant) == 1 ? *first : given;
}

// Names of modules' variables come with their places in the module's file, which are no source.
std::string clang_name(const std::string& name, Index<Module> module, Symbols& symbols) {
  const auto item = parse_flang_item(name);
  if (!item) return name;
  const std::string fortran_module = module_of_file(item->file);
  if (fortran_module.empty()) return ';' + item->expression + ';' + item->file + item->place;
  const std::string variable = item->expression.substr(0, item->expression.find_first_of("(%"));
  const Declaration declared = symbols.fortran_variable(module, fortran_module, variable);
  if (declared.line == 0) return ';' + item->expression + ";unknown;0;0;;";
  return ';' + item->expression + ';' + declared.file + ';' + std::to_string(declared.line) +
         ";0;;";
}

class Flang {
 public:
  Flang(DecodedTrace& decoded, Symbols& symbols) : decoded_(decoded), symbols_(symbols) {
    for (const SiteExtra& extra : decoded.site_extras) {
      own_.push_back(files_of(extra));
      all_.insert(own_.back().begin(), own_.back().end());
    }
  }

  void rewrite() {
    for (std::size_t i = 0; i < decoded_.site_extras.size(); ++i) {
      SiteExtra& extra = decoded_.site_extras[i];
      extra.is_fortran = is_flang_source(extra.psource) || !own_[i].empty() ||
                         std::ranges::any_of(extra.names, [](const std::string& name) {
                           return parse_flang_item(name).has_value();
                         });
      if (is_flang_source(extra.psource)) locate(i);
    }
    lend_files();
    for (std::size_t i = 0; i < decoded_.site_extras.size(); ++i) {
      for (std::string& name : decoded_.site_extras[i].names) {
        name = clang_name(name, decoded_.trace.sites[i].module, symbols_);
      }
    }
    for (std::string& name : decoded_.mapper_names) name = clang_name(name, {}, symbols_);
  }

 private:
  // A procedure of a module of the program.
  using Procedure = std::pair<std::uint32_t, std::string>;

  void locate(std::size_t i) {
    SiteExtra& extra = decoded_.site_extras[i];
    const Site& site = decoded_.trace.sites[i];
    const CodePlace place = symbols_.at(site.module, site.address - 1);
    std::string function = function_in(extra.psource);
    // By the main program's own name in capitals, or by its linker name.
    const bool is_main = place.functions.empty() ? function == "_QQmain" || is_in_capitals(function)
                                                 : place.functions.back() == kMainProgram;
    if (is_main) function = kMainProgram;
    std::string file = whole_path(place.file, own_[i]);
    if (file == place.file) file = whole_path(place.file, all_);
    if (file.empty() && own_[i].size() == 1) file = *own_[i].begin();
    const Procedure procedure(site.module.value, function);
    if (file.empty()) {
      fileless_.emplace_back(i, procedure);
    } else {
      files_[procedure].insert(file);
    }
    extra.psource = with_place(extra.psource, file, function);
  }

  // Of procedures that only one file is known to have.
  void lend_files() {
    for (const auto& [i, procedure] : fileless_) {
      const auto at = files_.find(procedure);
      if (at == files_.end() || at->second.size() != 1) continue;
      std::string& psource = decoded_.site_extras[i].psource;
      psource = with_place(psource, *at->second.begin(), procedure.second);
    }
  }

  static std::string function_in(const std::string& psource) {
    const auto source = parse_source(psource);
    return source ? source->function : std::string();
  }

  static bool is_in_capitals(const std::string& name) {
    return !name.empty() && std::ranges::none_of(name, [](char c) { return c >= 'a' && c <= 'z'; });
  }

  DecodedTrace& decoded_;
  Symbols& symbols_;
  std::vector<Files> own_;  // parallel to site_extras
  Files all_;
  std::map<Procedure, Files> files_;
  std::vector<std::pair<std::size_t, Procedure>> fileless_;
};

}  // namespace

void read_flang(DecodedTrace& decoded, Symbols& symbols) { Flang(decoded, symbols).rewrite(); }

namespace {

constexpr std::uint64_t kAddressSize = 8;

/// The fingerprint of a variable's bytes in the module's file; 0: not known. A fingerprint of so
/// few bytes is a hash of them all. Pointers are set when the module is loaded.
std::uint64_t initial_content(const ModuleCode* code, std::uint64_t address, std::uint64_t bytes,
                              bool holds_pointers) {
  constexpr std::uint64_t kMostBytes = std::uint64_t{64} * 4096;
  if (code == nullptr || holds_pointers || bytes > kMostBytes) return 0;
  const std::span<const std::byte> in_file = code->bytes(address, bytes);
  if (!in_file.empty()) return XXH3_64bits(in_file.data(), in_file.size());
  // Of uninitialised data (.bss) the file holds no byte.
  if (!code->bytes(address, 1).empty()) return 0;
  const std::vector<std::byte> zeros(bytes);
  return XXH3_64bits(zeros.data(), zeros.size());
}

void find_device_variables(DecodedTrace& decoded, Symbols& symbols) {
  Trace& trace = decoded.trace;
  std::set<std::pair<std::uint32_t, std::uint64_t>> seen;
  for (const OffloadSymbol& symbol : decoded.symbols) {
    const bool is_variable = symbol.size > 0 && !symbol.name.ends_with("_decl_tgt_ref_ptr");
    if (!is_variable || !symbol.module) continue;
    const std::uint64_t address = symbol.address - trace.modules[symbol.module.value].bias;
    if (!seen.emplace(symbol.module.value, address).second) continue;
    const GlobalVariable* global = symbols.global_at(symbol.module, address);
    const bool holds = symbol.size >= kAddressSize && (global == nullptr || global->holds_pointers);
    trace.device_variables.push_back(
        {symbol.module, demangle(symbol.name), address, symbol.size, holds,
         initial_content(symbols.code(symbol.module), address, symbol.size, holds)});
  }
}

/// Whether a kernel gets an item as a value that can be an address. It is one of `is_device_ptr` or
/// `firstprivate`, or a pointer of which nothing is mapped.
bool is_pointer_value(const MapItem& item) {
  if ((item.type & (kMapPrivate | kMapAttach | kMapPointerAndObject)) != 0) return false;
  return item.bytes == ((item.type & kMapLiteral) != 0 ? kAddressSize : 0);
}

}  // namespace

void find_pointers(DecodedTrace& decoded, Symbols& symbols) {
  Trace& trace = decoded.trace;
  find_device_variables(decoded, symbols);
  // By site and position of the item.
  std::map<std::pair<std::uint32_t, std::size_t>, ItemDeclaration> known;
  for (std::size_t list = 0; list < trace.map_lists.size(); ++list) {
    const Index<Site> at = decoded.list_sites[list];
    if (!at || decoded.site_extras[at.value].is_fortran) continue;
    const Site& site = trace.sites[at.value];
    std::vector<MapItem>& items = trace.map_lists[list];
    for (std::size_t i = 0; i < items.size(); ++i) {
      MapItem& item = items[i];
      const bool is_mapped = (item.type & (kMapLiteral | kMapPrivate | kMapAttach)) == 0;
      const bool is_value = is_pointer_value(item);
      if (!is_value && !(is_mapped && item.variable)) continue;
      // A value that no clause names, and that can be a number, is taken for a number.
      if (is_value) item.hands_table = item.bytes == 0 || (item.type & kMapImplicit) == 0;
      if (item.name.empty()) continue;
      const auto [found, is_new] = known.try_emplace({at.value, i});
      if (is_new) {
        found->second = symbols.item_at(site.module, site.address - 1, item.name);
        // If optimizers moved the call, the scope can be that of a caller.
        const auto& functions = symbols.at(site.module, site.address - 1).functions;
        const bool is_own = !functions.empty() && functions.front() == site.function;
        if (!is_own) {
          found->second.local_line = found->second.scope_line = 0;
          found->second.is_automatic = false;
        }
      }
      if (is_value) {
        item.hands_table = found->second.leads_to_pointers.value_or(item.hands_table);
      }
      if (!is_mapped || !item.variable) continue;
      item.local_line = found->second.local_line;
      item.scope_line = found->second.scope_line;
      item.aggregate = found->second.is_aggregate;
      item.automatic = found->second.is_automatic;
      if (item.bytes >= kAddressSize && found->second.names_pointers.value_or(false)) {
        trace.variables[item.variable.value].holds_pointers = true;
      }
    }
  }
}

}  // namespace ompdm::trace
