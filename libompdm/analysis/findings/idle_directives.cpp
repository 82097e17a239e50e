#include "analysis/findings/idle_directives.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "analysis/findings/wording.h"

namespace ompdm::analysis {
namespace {

bool needs_presence(const Site& site) {
  return site.directive == Directive::kTargetUpdate || site.directive == Directive::kTargetExitData;
}

}  // namespace

IdleDirectives::IdleDirectives(const Trace& trace, const Presence& presence) : trace_(trace) {
  std::vector<bool> moved(trace.regions.size());
  for (const DataOp& op : trace.ops) {
    if (op.region) moved[op.region.value] = true;
  }
  std::map<std::tuple<std::uint32_t, std::int32_t, std::uint64_t, std::uint64_t>, Item> items;
  const auto for_items = [&](const Region& region, auto take) {
    for (const MapItem& item : trace.map_lists[region.map_list]) {
      if (item.begin == 0 || item.bytes == 0) continue;
      take(items[{region.site.value, region.device, item.begin, item.bytes}], item);
    }
  };
  const auto needs_data = [&](const Region& region) {
    return !region.unfinished && region.site && region.map_list < trace.map_lists.size() &&
           needs_presence(trace.sites[region.site.value]);
  };
  for (std::uint32_t i = 0; i < trace.regions.size(); ++i) {
    const Region& region = trace.regions[i];
    if (moved[i] || !needs_data(region)) continue;
    for_items(region, [&](Item& row, const MapItem& item) {
      // One that only counts a reference down makes no operation either.
      Mapping piece;
      piece.device = region.device;
      piece.host = item.begin;
      piece.bytes = item.bytes;
      if (!presence.others(piece, region.begin, region.begin, 0).any) ++row.idle;
    });
  }
  const bool any =
      std::ranges::any_of(items, [](const auto& item) { return item.second.idle > 0; });
  if (!any) return;
  for (const Region& region : trace.regions) {
    if (!needs_data(region)) continue;
    for_items(region, [&](Item& row, const MapItem& item) {
      row.device = region.device;
      row.host = item.begin;
      row.bytes = item.bytes;
      row.site = region.site;
      ++row.instances;
    });
  }
  for (const auto& [key, item] : items) {
    items_.push_back(item);
    overlaps_.add(item.host, item.host + item.bytes);
  }
  overlaps_.settle();
}

std::vector<std::string> IdleDirectives::advice_on(const Stay& stay) const {
  struct Count {
    std::uint64_t instances = 0;
    std::uint64_t idle = 0;
  };
  // One directive that is inlined at several places has several sites.
  std::map<std::string, Count> directives;
  overlaps_.each(stay.host, stay.host + stay.bytes, [&](std::uint32_t number) {
    const Item& item = items_[number];
    if (item.device != stay.device) return;
    const Site& site = trace_.sites[item.site.value];
    Count& count = directives[fmt::format("#pragma omp {} at {}", directive_name(site.directive),
                                          place_of(site))];
    count.instances += item.instances;
    count.idle += item.idle;
  });
  std::vector<std::string> advice;
  for (const auto& [directive, count] : directives) {
    if (count.idle == 0) continue;
    advice.push_back(
        count.idle == count.instances
            ? fmt::format("drop {}: it found nothing there so far, and now would", directive)
            : fmt::format("where {} found nothing there so far ({} of {} instances), do not reach "
                          "it: it now would",
                          directive, count.idle, count.instances));
  }
  return advice;
}

}  // namespace ompdm::analysis
