#include "analysis/findings/idle_directives.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "analysis/findings/names.h"
#include "analysis/map_types.h"

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
      row.only_returns = row.only_returns && (item.type & (kMapTo | kMapFrom)) == kMapFrom &&
                         trace.sites[region.site.value].directive == Directive::kTargetUpdate;
      ++row.instances;
    });
  }
  for (const auto& [key, item] : items) {
    items_.push_back(item);
    overlaps_.add(item.host, item.host + item.bytes);
  }
  overlaps_.settle();
}

std::vector<Edit> IdleDirectives::edits_on(const Stay& stay) const {
  // One directive that is inlined at several places has several sites.
  std::map<std::pair<SourcePlace, Directive>, Edit> edits;
  overlaps_.each(stay.host, stay.host + stay.bytes, [&](std::uint32_t number) {
    const Item& item = items_[number];
    if (item.device != stay.device) return;
    const Site& site = trace_.sites[item.site.value];
    const SourcePlace place = source_place(site);
    Edit& edit = edits[{place, site.directive}];
    edit.anchor.places = {place};
    edit.directive = site.directive;
    edit.when = item.only_returns ? EditWhen::kHostUses : EditWhen::kNothingThere;
    edit.instances += item.idle;
    edit.of += item.instances;
  });
  std::vector<Edit> told;
  for (auto& [place, edit] : edits) {
    if (edit.instances == 0) continue;
    const bool always = edit.instances == edit.of && edit.when == EditWhen::kNothingThere;
    edit.kind = always ? EditKind::kRemove : EditKind::kGuard;
    told.push_back(std::move(edit));
  }
  return told;
}

}  // namespace ompdm::analysis
