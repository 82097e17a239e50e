#include "trace/reachable.h"

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

}  // namespace

void find_pointers(Draft& draft, Symbols& symbols) {
  Trace& trace = draft.trace;
  find_device_variables(draft, symbols);
  std::set<std::pair<std::uint32_t, std::size_t>> asked;  // site, position of the item
  for (std::size_t list = 0; list < trace.map_lists.size(); ++list) {
    const Index<Site> at = draft.list_sites[list];
    if (!at || draft.site_notes[at.value].is_fortran) continue;
    const Site& site = trace.sites[at.value];
    const std::vector<MapItem>& items = trace.map_lists[list];
    for (std::size_t i = 0; i < items.size(); ++i) {
      const MapItem& item = items[i];
      const bool is_mapped = (item.type & (kMapLiteral | kMapPrivate | kMapAttach)) == 0;
      if (!is_mapped || !item.variable || item.name.empty() || item.bytes < kPointerSize) continue;
      if (!asked.emplace(at.value, i).second) continue;
      if (symbols.item_names_pointers(site.module, site.address - 1, item.name).value_or(false)) {
        trace.variables[item.variable.value].holds_pointers = true;
      }
    }
  }
}

}  // namespace ompdm::trace
