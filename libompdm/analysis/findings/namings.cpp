#include "analysis/findings/namings.h"

#include <algorithm>

#include "analysis/map_types.h"

namespace ompdm::analysis {

void Namings::read() const {
  is_read_ = true;
  for (std::size_t i = 0; i < trace_.regions.size(); ++i) {
    const Region& region = trace_.regions.common(i);
    if (!region.site || region.map_list >= trace_.map_lists.size()) continue;
    if (trace_.sites[region.site.value].directive == Directive::kTargetUpdate) continue;
    by_list_[{region.device, region.map_list}].push_back({trace_.regions.begin_of(i), region.site});
  }
  for (auto& [list, namings] : by_list_) std::ranges::sort(namings, {}, &Naming::begin);
  for (std::uint32_t list = 0; list < trace_.map_lists.size(); ++list) {
    for (const MapItem& item : trace_.map_lists[list]) {
      if (item.bytes == 0 || (item.type & (kMapLiteral | kMapPrivate)) != 0) continue;
      names_.add(item.begin, item.begin + item.bytes, list);
    }
  }
  names_.settle();
}

std::vector<Index<Site>> Namings::in_life_of(const Mapping& mapping) const {
  if (!is_read_) read();
  const Nanoseconds from = trace_.ops.begin_of(mapping.alloc.value);
  Nanoseconds to = trace_.process.wall;
  if (mapping.remove) {
    const Index<Region> ended_by = trace_.ops.region_of(mapping.remove.value);
    const Nanoseconds removed = trace_.ops.begin_of(mapping.remove.value);
    to = ended_by ? std::min(removed, trace_.regions.begin_of(ended_by.value)) : removed;
  }
  std::vector<Index<Site>> sites;
  for (const std::uint32_t list : names_.lists_of(mapping.host, mapping.host + mapping.bytes)) {
    const auto found = by_list_.find({mapping.device, list});
    if (found == by_list_.end()) continue;
    const std::vector<Naming>& all = found->second;
    for (auto at = std::ranges::upper_bound(all, from, {}, &Naming::begin);
         at != all.end() && at->begin < to; ++at) {
      if (sites.empty() || sites.back().value != at->site.value) sites.push_back(at->site);
    }
  }
  return sites;
}

}  // namespace ompdm::analysis
