#include "trace/reachable.h"

#include <map>
#include <set>
#include <utility>

#include "trace/offload_names.h"

namespace ompdm::trace {
namespace {

constexpr std::uint64_t kPointerSize = 8;

void find_device_variables(Draft& draft, Symbols& symbols) {
  Trace& trace = draft.trace;
  std::set<std::pair<std::uint32_t, std::uint64_t>> seen;
  for (const OffloadSymbol& symbol : draft.symbols) {
    const bool is_variable = symbol.size > 0 && !symbol.name.ends_with("_decl_tgt_ref_ptr");
    if (!is_variable || !symbol.module) continue;
    const std::uint64_t address = symbol.address - trace.modules[symbol.module.value].bias;
    if (!seen.emplace(symbol.module.value, address).second) continue;
    const bool has_room = symbol.size >= kPointerSize;
    const bool holds =
        has_room && symbols.global_holds_pointers(symbol.module, address).value_or(true);
    trace.device_variables.push_back(
        {symbol.module, demangle(symbol.name), address, symbol.size, holds});
  }
}

/// Whether a kernel gets an item as a value that can be an address: by `is_device_ptr`,
/// `firstprivate`, or as a pointer of which nothing is mapped.
bool is_pointer_value(const MapItem& item) {
  if ((item.type & (kMapPrivate | kMapAttach | kMapPointerAndObject)) != 0) return false;
  return item.bytes == ((item.type & kMapLiteral) != 0 ? kPointerSize : 0);
}

}  // namespace

void find_pointers(Draft& draft, Symbols& symbols) {
  Trace& trace = draft.trace;
  find_device_variables(draft, symbols);
  // By site and position of the item.
  std::map<std::pair<std::uint32_t, std::size_t>, ItemDeclaration> known;
  for (std::size_t list = 0; list < trace.map_lists.size(); ++list) {
    const Index<Site> at = draft.list_sites[list];
    if (!at || draft.site_notes[at.value].is_fortran) continue;
    const Site& site = trace.sites[at.value];
    std::vector<MapItem>& items = trace.map_lists[list];
    for (std::size_t i = 0; i < items.size(); ++i) {
      MapItem& item = items[i];
      const bool is_mapped = (item.type & (kMapLiteral | kMapPrivate | kMapAttach)) == 0;
      const bool is_value = is_pointer_value(item);
      if (!is_value && !(is_mapped && item.variable)) continue;
      // Of what no clause names a value that can be a number is taken for one.
      if (is_value) item.hands_table = item.bytes == 0 || (item.type & kMapImplicit) == 0;
      if (item.name.empty()) continue;
      const auto [found, is_new] = known.try_emplace({at.value, i});
      if (is_new) {
        found->second = symbols.item_at(site.module, site.address - 1, item.name);
        // Of a call that optimizers moved, the scope can be a caller's.
        const auto& functions = symbols.at(site.module, site.address - 1).functions;
        const bool is_own = !functions.empty() && functions.front() == site.function;
        if (!is_own) found->second.local_line = found->second.scope_line = 0;
      }
      if (is_value) {
        item.hands_table = found->second.leads_to_pointers.value_or(item.hands_table);
      }
      if (!is_mapped || !item.variable) continue;
      item.local_line = found->second.local_line;
      item.scope_line = found->second.scope_line;
      item.aggregate = found->second.is_aggregate;
      if (item.bytes >= kPointerSize && found->second.names_pointers.value_or(false)) {
        trace.variables[item.variable.value].holds_pointers = true;
      }
    }
  }
}

}  // namespace ompdm::trace
