#include "analysis/findings/idle_updates.h"

#include <set>
#include <utility>

#include "analysis/findings/wording.h"

namespace ompdm::analysis {

IdleUpdates::IdleUpdates(const Trace& trace) {
  std::vector<bool> moved(trace.regions.size());
  for (const DataOp& op : trace.ops) {
    if (op.region) moved[op.region.value] = true;
  }
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen;  // site, map list
  for (std::uint32_t i = 0; i < trace.regions.size(); ++i) {
    const Region& region = trace.regions[i];
    if (moved[i] || region.unfinished || !region.site) continue;
    const Site& site = trace.sites[region.site.value];
    if (site.directive != Directive::kTargetUpdate || region.map_list >= trace.map_lists.size() ||
        !seen.insert({region.site.value, region.map_list}).second) {
      continue;
    }
    for (const MapItem& item : trace.map_lists[region.map_list]) {
      updates_.push_back({region.device, item.begin, item.begin + item.bytes, place_of(site)});
    }
  }
}

std::vector<std::string> IdleUpdates::of(const Stay& stay) const {
  std::vector<std::string> places;
  for (const Update& update : updates_) {
    if (update.device == stay.device && update.begin < stay.host + stay.bytes &&
        stay.host < update.end) {
      add_once(places, update.place);
    }
  }
  return places;
}

}  // namespace ompdm::analysis
