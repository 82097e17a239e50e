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
/// Rarely asked, and read when it is.
class Moved {
 public:
  explicit Moved(const Trace& trace) : trace_(trace) {}

  [[nodiscard]] bool any(std::uint32_t region, const MapItem& item) {
    if (!is_read_) read();
    const auto at = std::ranges::lower_bound(places_, std::pair(region, item.begin));
    return at != places_.end() && at->first == region && at->second < item.begin + item.bytes;
  }

 private:
  void read() {
    is_read_ = true;
    for (std::size_t i = 0; i < trace_.ops.size(); ++i) {
      const DataOp& op = trace_.ops.common(i);
      const Index<Region> region = trace_.ops.region_of(i);
      if (!region || !is_transfer(op.kind)) continue;
      places_.emplace_back(region.value, op.kind == OpKind::kHtoD ? op.src : op.dst);
    }
    if (!std::ranges::is_sorted(places_)) std::ranges::sort(places_);
  }

  const Trace& trace_;
  std::vector<std::pair<std::uint32_t, std::uint64_t>> places_;  // region, host address
  bool is_read_ = false;
};

}  // namespace

IdleDirectives::IdleDirectives(const Trace& trace, const Presence& presence) : trace_(trace) {
  const bool any = std::ranges::any_of(trace.sites, [](const Site& site) {
    return site.directive == Directive::kTargetUpdate ||
           site.directive == Directive::kTargetExitData;
  });
  if (!any) return;
  Moved moved(trace);
  using Row = std::pair<const MapItem*, Item*>;
  std::map<std::tuple<std::uint32_t, std::int32_t, std::uint64_t, std::uint64_t>, Item> items;
  const auto rows_of = [&](const Region& region) {
    std::vector<Row> rows;
    if (!needs_presence(trace, region)) return rows;
    const bool is_update = trace.sites[region.site.value].directive == Directive::kTargetUpdate;
    for (const MapItem& item : trace.map_lists[region.map_list]) {
      if (!names_data(item)) continue;
      Item& row = items[{region.site.value, region.device, item.begin, item.bytes}];
      row.device = region.device;
      row.host = item.begin;
      row.bytes = item.bytes;
      row.site = region.site;
      row.only_returns =
          row.only_returns && is_update && (item.type & (kMapTo | kMapFrom)) == kMapFrom;
      rows.emplace_back(&item, &row);
    }
    return rows;
  };
  const std::vector<std::vector<Row>> rows_of_shape = trace.regions.of_shapes(rows_of);
  std::vector<Item*> idle;  // of one region
  for (std::uint32_t i = 0; i < trace.regions.size(); ++i) {
    const std::vector<Row>& rows = rows_of_shape[trace.regions.shape_of(i)];
    const Nanoseconds begin = trace.regions.begin_of(i);
    idle.clear();
    for (const auto& [item, row] : rows) {
      ++row->instances;
      // One that only counts a reference down makes no operation either.
      if (presence.is_there(row->device, item->begin, item->bytes, begin) || moved.any(i, *item)) {
        continue;
      }
      row->idle.push_back(begin);
      idle.push_back(row);
    }
    if (idle.size() == rows.size()) continue;
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

IdleEdits IdleDirectives::edits_on(const Stay& stay, std::uint32_t data) const {
  struct Told {
    Edit edit;
    std::uint64_t idle = 0;  // instances
    std::uint64_t of = 0;
    bool only_returns = true;
  };
  // One directive that is inlined at several places has several sites.
  std::map<std::pair<SourcePlace, Directive>, Told> told;
  overlaps_.each(stay.host, stay.host + stay.bytes, [&](std::uint32_t number) {
    const Item& item = items_[number];
    const auto first = std::ranges::lower_bound(item.idle, stay.from);
    const bool is_meanwhile = first != item.idle.end() && *first <= stay.to;
    if (item.device != stay.device || !is_meanwhile) return;
    const Site& site = trace_.sites[item.site.value];
    const SourcePlace place = source_place(site);
    auto& [edit, idle, of, only_returns] = told[{place, site.directive}];
    edit.anchor.places = {place};
    edit.directive = site.directive;
    edit.when = EditWhen::kNothingThere;
    if (item.beside_others) edit.clauses = {{"", {data}}};
    idle += item.idle.size();
    of += item.instances;
    only_returns = only_returns && item.only_returns;
  });
  IdleEdits edits;
  for (auto& [place, one] : told) {
    if (one.idle == one.of) {
      one.edit.kind = one.edit.clauses.empty() ? EditKind::kRemove : EditKind::kLeaveOut;
      edits.edits.push_back(std::move(one.edit));
    } else if (!one.only_returns) {
      edits.at_times.push_back(place.first);
    }
  }
  return edits;
}

}  // namespace ompdm::analysis
