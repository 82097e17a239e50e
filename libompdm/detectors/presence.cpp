#include "detectors/presence.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>
#include <tuple>

#include "analysis/names.h"
#include "analysis/order.h"
#include "analysis/tables.h"
#include "model/map_types.h"

namespace ompdm::analysis {
Presence::Presence(const Mappings& mappings) : mappings_(mappings) {
  for (std::vector<std::uint32_t>& residencies : mappings.by_piece()) {
    const Mapping& piece = mappings.rows()[residencies.front()];
    if (piece.host == 0) continue;
    Pieces& pieces = by_device_[piece.device];
    pieces.rows.push_back(std::move(residencies));
    pieces.overlaps.add(piece.host, piece.host + piece.bytes);
  }
  for (auto& [device, pieces] : by_device_) pieces.overlaps.build();
}

OtherMappings Presence::others(const Mapping& piece, Nanoseconds from, Nanoseconds to,
                               std::size_t known) const {
  OtherMappings others;
  for (const auto& [device, pieces] : by_device_) {
    if (device == piece.device) {
      add_device(pieces, piece, from, to, known, others);
      continue;
    }
    OtherMappings there;
    add_device(pieces, piece, from, to, 0, there);
    others.elsewhere = others.elsewhere || there.any;
    others.elsewhere_returned = others.elsewhere_returned || there.returned;
  }
  return others;
}

void Presence::add_device(const Pieces& pieces, const Mapping& piece, Nanoseconds from,
                          Nanoseconds to, std::size_t known, OtherMappings& others) const {
  const std::uint64_t end = piece.host + piece.bytes;
  pieces.overlaps.each(piece.host, end, [&](std::uint32_t number) {
    const Residencies& residencies = pieces.rows[number];
    const Mapping& other = mappings_.rows()[residencies.front()];
    const bool known_apart =
        other.storage != 0 && piece.storage != 0 && other.storage != piece.storage;
    const bool is_piece = other.host == piece.host && other.bytes == piece.bytes;
    // Later storage at the same address has no part in the piece's residency.
    if (known_apart && is_piece) return;
    const OtherMappings found = this->found(residencies, from, to, is_piece ? known : 0);
    const bool within = other.host >= piece.host && other.host + other.bytes <= end;
    // The runtime also refuses the whole if a part of it is present already.
    const bool is_part_before =
        !is_piece && std::ranges::any_of(found.mappings, [&](std::uint32_t one) {
          return mappings_.rows()[one].begin < from;
        });
    others.blocks = others.blocks || (found.any && (!within || is_part_before));
    others.add(found);
  });
}

Presence::Residencies::const_iterator Presence::first_at(const Residencies& residencies,
                                                         Nanoseconds time) const {
  const auto gone = [&](std::uint32_t number) {
    const Mapping& row = mappings_.rows()[number];
    return row.remove ? row.end : std::numeric_limits<Nanoseconds>::max();
  };
  return std::ranges::lower_bound(residencies, time, {}, gone);
}

std::uint32_t Presence::at_instant(std::int32_t device, std::uint64_t host, std::uint64_t bytes,
                                   Nanoseconds at) const {
  std::uint32_t there = Index<Mapping>::kNone;
  const auto pieces = by_device_.find(device);
  if (pieces == by_device_.end()) return there;
  pieces->second.overlaps.each(host, host + bytes, [&](std::uint32_t number) {
    const Residencies& residencies = pieces->second.rows[number];
    const auto first = first_at(residencies, at);
    const bool is_there = first != residencies.end() && mappings_.rows()[*first].begin <= at;
    if (is_there) there = *first;
  });
  return there;
}

/// The mappings that existed at some time in [from, to]; none if there are at most `known` of them.
OtherMappings Presence::found(const Residencies& residencies, Nanoseconds from, Nanoseconds to,
                              std::size_t known) const {
  OtherMappings found;
  for (auto at = first_at(residencies, from); at != residencies.end(); ++at) {
    const Mapping& row = mappings_.rows()[*at];
    if (row.begin > to) break;
    found.mappings.push_back(*at);
    found.sent = found.sent || row.sent;
    found.returned = found.returned || row.returned;
  }
  if (found.mappings.size() <= known) return {};
  found.any = true;
  return found;
}

namespace {

bool needs_presence(const Trace& trace, const Region& region) {
  if (region.unfinished) return false;
  return is_of(trace, region.site, Directive::kTargetUpdate) ||
         is_of(trace, region.site, Directive::kTargetExitData);
}

bool names_data(const MapItem& item) { return item.begin != 0 && item.bytes != 0; }

/// The regions that moved data, each with the data's address on the host; in order.
std::vector<std::pair<std::uint32_t, std::uint64_t>> moved_data(const Trace& trace) {
  std::vector<std::pair<std::uint32_t, std::uint64_t>> places;
  for (std::size_t i = 0; i < trace.ops.size(); ++i) {
    const DataOp& op = trace.ops.common(i);
    const Index<Region> region = trace.ops.region_of(i);
    if (!region || !is_transfer(op.kind)) continue;
    places.emplace_back(region.value, op.kind == OpKind::kHtoD ? op.src : op.dst);
  }
  if (!std::ranges::is_sorted(places)) std::ranges::sort(places);
  return places;
}

}  // namespace

IdleDirectives::IdleDirectives(const Trace& trace, const Presence& presence) : trace_(trace) {
  const bool any = std::ranges::any_of(trace.sites, [](const Site& site) {
    return site.directive == Directive::kTargetUpdate ||
           site.directive == Directive::kTargetExitData;
  });
  if (!any) return;
  // Data without a known mapping was present nevertheless if the region transferred it. This is
  // rarely needed.
  std::optional<std::vector<std::pair<std::uint32_t, std::uint64_t>>> moved;
  const auto is_moved = [&](std::uint32_t region, const MapItem& item) {
    if (!moved) moved = moved_data(trace);
    const auto at = std::ranges::lower_bound(*moved, std::pair(region, item.begin));
    return at != moved->end() && at->first == region && at->second < item.begin + item.bytes;
  };
  using Row = std::pair<const MapItem*, Item*>;
  std::map<std::tuple<std::uint32_t, std::int32_t, std::uint64_t, std::uint64_t>, Item> items;
  const auto rows_of = [&](const Region& region) {
    std::vector<Row> rows;
    if (!needs_presence(trace, region)) return rows;
    const bool is_update = is_of(trace, region.site, Directive::kTargetUpdate);
    const std::vector<MapItem>& list = items_of(trace, region);
    for (const MapItem& item : list) {
      // Members have items of their own
      if (!names_data(item) || holds_members(list, item)) continue;
      Item& row = items[{region.site.value, region.device, item.begin, item.bytes}];
      row.device = region.device;
      row.host = item.begin;
      row.bytes = item.bytes;
      row.site = region.site;
      row.named = &item;
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
      // An item that only decrements a reference count makes no operation either.
      if (presence.is_there(row->device, item->begin, item->bytes, begin) || is_moved(i, *item)) {
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
  overlaps_.build();
}

IdleEdits IdleDirectives::edits_on(const Residency& residency, std::uint32_t data) const {
  struct Told {
    Edit edit;
    std::uint64_t idle = 0;  // executions
    std::uint64_t of = 0;
    bool only_returns = true;
  };
  // One directive that is inlined at several places has several sites.
  std::map<std::pair<SourcePlace, Directive>, Told> told;
  overlaps_.each(residency.host, residency.host + residency.bytes, [&](std::uint32_t number) {
    const Item& item = items_[number];
    const auto first = std::ranges::lower_bound(item.idle, residency.from);
    const bool is_meanwhile = first != item.idle.end() && *first <= residency.to;
    if (item.device != residency.device || !is_meanwhile) return;
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
