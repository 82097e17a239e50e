#include "analysis/findings/idle_directives.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "analysis/findings/names.h"
#include "analysis/map_types.h"

namespace ompdm::analysis {
namespace {

bool needs_presence(const Trace& trace, const Region& region) {
  if (region.unfinished || !region.site || region.map_list >= trace.map_lists.size()) return false;
  const Directive directive = trace.sites[region.site.value].directive;
  return directive == Directive::kTargetUpdate || directive == Directive::kTargetExitData;
}

bool names_data(const MapItem& item) { return item.begin != 0 && item.bytes != 0; }

/// Where on the host regions moved data: what is not known to be there may have been, all the same.
class Moved {
 public:
  explicit Moved(const Trace& trace) {
    for (const DataOp& op : trace.ops) {
      if (!op.region || !is_transfer(op.kind)) continue;
      places_.emplace_back(op.region.value, op.kind == OpKind::kHtoD ? op.src : op.dst);
    }
    std::ranges::sort(places_);
  }

  [[nodiscard]] bool any(std::uint32_t region, const MapItem& item) const {
    const auto at = std::ranges::lower_bound(places_, std::pair(region, item.begin));
    return at != places_.end() && at->first == region && at->second < item.begin + item.bytes;
  }

 private:
  std::vector<std::pair<std::uint32_t, std::uint64_t>> places_;  // region, host address
};

}  // namespace

IdleDirectives::IdleDirectives(const Trace& trace, const Presence& presence) : trace_(trace) {
  const bool any = std::ranges::any_of(trace.sites, [](const Site& site) {
    return site.directive == Directive::kTargetUpdate ||
           site.directive == Directive::kTargetExitData;
  });
  if (!any) return;
  const Moved moved(trace);
  // One that only counts a reference down makes no operation either.
  const auto is_idle = [&](std::uint32_t number, const Region& region, const MapItem& item) {
    Mapping piece;
    piece.device = region.device;
    piece.host = item.begin;
    piece.bytes = item.bytes;
    return !presence.others(piece, region.begin, region.begin, 0).any && !moved.any(number, item);
  };
  std::map<std::tuple<std::uint32_t, std::int32_t, std::uint64_t, std::uint64_t>, Item> items;
  for (std::uint32_t i = 0; i < trace.regions.size(); ++i) {
    const Region& region = trace.regions[i];
    if (!needs_presence(trace, region)) continue;
    const bool is_update = trace.sites[region.site.value].directive == Directive::kTargetUpdate;
    std::vector<Item*> idle;
    bool does_all_of_nothing = true;
    for (const MapItem& item : trace.map_lists[region.map_list]) {
      if (!names_data(item)) continue;
      Item& row = items[{region.site.value, region.device, item.begin, item.bytes}];
      row.device = region.device;
      row.host = item.begin;
      row.bytes = item.bytes;
      row.site = region.site;
      row.only_returns =
          row.only_returns && is_update && (item.type & (kMapTo | kMapFrom)) == kMapFrom;
      ++row.instances;
      if (is_idle(i, region, item)) {
        row.idle.push_back(region.begin);
        idle.push_back(&row);
      } else {
        does_all_of_nothing = false;
      }
    }
    if (does_all_of_nothing) continue;
    for (Item* row : idle) row->beside_others = true;
  }
  for (auto& [key, item] : items) {
    if (item.idle.empty()) continue;
    std::ranges::sort(item.idle);
    overlaps_.add(item.host, item.host + item.bytes);
    items_.push_back(std::move(item));
  }
  overlaps_.settle();
}

std::vector<Edit> IdleDirectives::edits_on(const Stay& stay, std::uint32_t data) const {
  // One directive that is inlined at several places has several sites.
  std::map<std::pair<SourcePlace, Directive>, Edit> edits;
  overlaps_.each(stay.host, stay.host + stay.bytes, [&](std::uint32_t number) {
    const Item& item = items_[number];
    const auto first = std::ranges::lower_bound(item.idle, stay.from);
    const bool is_meanwhile = first != item.idle.end() && *first <= stay.to;
    if (item.device != stay.device || !is_meanwhile) return;
    const Site& site = trace_.sites[item.site.value];
    const SourcePlace place = source_place(site);
    Edit& edit = edits[{place, site.directive}];
    edit.anchor.places = {place};
    edit.directive = site.directive;
    const bool may_bring = item.only_returns && !item.beside_others;
    edit.when = may_bring ? EditWhen::kHostUses : EditWhen::kNothingThere;
    edit.instances += item.idle.size();
    edit.of += item.instances;
    if (item.beside_others) edit.clauses = {{"", {data}}};
  });
  std::vector<Edit> told;
  for (auto& [place, edit] : edits) {
    const bool always = edit.instances == edit.of && edit.when == EditWhen::kNothingThere;
    edit.kind = !always                ? EditKind::kGuard
                : edit.clauses.empty() ? EditKind::kRemove
                                       : EditKind::kLeaveOut;
    told.push_back(std::move(edit));
  }
  return told;
}

}  // namespace ompdm::analysis
