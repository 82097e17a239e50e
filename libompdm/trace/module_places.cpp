// Which module lies where at the current point of a replay: a library may have lain where another
// one lies now, with data and `declare target` variables of its own.
#include <iterator>

#include "trace/offload_names.h"
#include "trace/replay.h"

namespace ompdm::trace {

void Replay::place(std::uint32_t module) {
  settled_[module] = true;
  const auto [begin, end] = draft_.module_ranges[module];
  if (begin >= end) return;  // a damaged record
  auto at = places_.upper_bound(begin);
  if (at != places_.begin() && draft_.module_ranges[std::prev(at)->second].end > begin) --at;
  while (at != places_.end() && at->first < end) {
    settled_[at->second] = false;
    at = places_.erase(at);
  }
  places_[begin] = module;
}

void Replay::settle(Index<Site> site) {
  const Index<Module> module = site ? trace_.sites[site.value].module : Index<Module>{};
  if (!module || settled_[module.value]) return;
  place(module.value);
  const auto [begin, end] = draft_.module_ranges[module.value];
  storage_.forget(begin, end);
}

void Replay::add_global(const OffloadSymbol& symbol) {
  if (symbol.size == 0) return;
  if (symbol.name.ends_with("_decl_tgt_ref_ptr")) {
    references_.insert(symbol.address);
    return;
  }
  const ModuleRange own = symbol.module ? draft_.module_ranges[symbol.module.value] : ModuleRange{};
  // A program that is not position-independent may hold a library's variable.
  const bool is_own = symbol.address >= own.begin && symbol.address < own.end;
  const Index<Module> owner = is_own ? symbol.module : module_at(symbol.address);
  Global& global = globals_[{owner.value, symbol.address}];
  global = {symbol.address, symbol.size, {}};
  global.name.base = global.name.expression = demangle(symbol.name);
}

Index<Module> Replay::module_at(std::uint64_t address) const {
  const auto after = places_.upper_bound(address);
  if (after == places_.begin()) return {};
  const std::uint32_t module = std::prev(after)->second;
  return address < draft_.module_ranges[module].end ? Index<Module>{module} : Index<Module>{};
}

const Replay::Global* Replay::global_at(std::uint64_t host) const {
  const std::uint32_t owner = module_at(host).value;
  auto at = globals_.upper_bound({owner, host});
  if (at == globals_.begin()) return nullptr;
  --at;
  const auto [module, address] = at->first;
  return module == owner && host - address < at->second.bytes ? &at->second : nullptr;
}

}  // namespace ompdm::trace
