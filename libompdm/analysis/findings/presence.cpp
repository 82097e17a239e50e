#include "analysis/findings/presence.h"

#include <algorithm>
#include <limits>

namespace ompdm::analysis {

Presence::Presence(const Trace& trace, const Mappings& mappings)
    : trace_(trace), mappings_(mappings) {
  directions_.resize(mappings.rows().size());
  std::vector<std::vector<std::uint32_t>> pieces(mappings.pieces());
  for (std::uint32_t i = 0; i < mappings.rows().size(); ++i) {
    if (mappings.rows()[i].host != 0) pieces[mappings.rows()[i].piece].push_back(i);
    for (const std::uint32_t op : mappings.transfers(i)) {
      Directions& moved = directions_[i];
      (trace.ops.common(op).kind == OpKind::kHtoD ? moved.sent : moved.returned) = true;
      if (moved.sent && moved.returned) break;
    }
  }
  for (std::vector<std::uint32_t>& stays : pieces) {
    if (stays.empty()) continue;
    const Mapping& piece = mappings.rows()[stays.front()];
    Storages& storages = by_device_[piece.device];
    storages.rows.push_back({piece.host, piece.bytes, piece.storage, std::move(stays)});
    storages.overlaps.add(piece.host, piece.host + piece.bytes);
  }
  for (auto& [device, storages] : by_device_) storages.overlaps.settle();
}

OtherMappings Presence::others(const Mapping& piece, Nanoseconds from, Nanoseconds to,
                               std::size_t known) const {
  OtherMappings others;
  for (const auto& [device, storages] : by_device_) {
    if (device == piece.device) {
      add_device(storages, piece, from, to, known, others);
      continue;
    }
    OtherMappings there;
    add_device(storages, piece, from, to, 0, there);
    others.elsewhere = others.elsewhere || there.any;
    others.elsewhere_returned = others.elsewhere_returned || there.returned;
  }
  return others;
}

void Presence::add_device(const Storages& storages, const Mapping& piece, Nanoseconds from,
                          Nanoseconds to, std::size_t known, OtherMappings& others) const {
  const std::uint64_t end = piece.host + piece.bytes;
  storages.overlaps.each(piece.host, end, [&](std::uint32_t number) {
    const Storage& storage = storages.rows[number];
    const bool known_apart =
        storage.number != 0 && piece.storage != 0 && storage.number != piece.storage;
    const bool is_piece = storage.host == piece.host && storage.bytes == piece.bytes;
    // What has the place of a piece after it has no part in its stay.
    if (known_apart && is_piece) return;
    OtherMappings found;
    add(storage, from, to, is_piece ? known : 0, found);
    const bool within = storage.host >= piece.host && storage.host + storage.bytes <= end;
    // A part that is there already when the whole is to come is refused as well.
    const bool is_part_before =
        !is_piece && std::ranges::any_of(found.mappings, [&](std::uint32_t one) {
          return trace_.ops.begin_of(mappings_.rows()[one].alloc.value) < from;
        });
    others.blocks = others.blocks || (found.any && (!within || is_part_before));
    others.any = others.any || found.any;
    others.sent = others.sent || found.sent;
    others.returned = others.returned || found.returned;
    others.mappings.insert(others.mappings.end(), found.mappings.begin(), found.mappings.end());
  });
}

std::vector<std::uint32_t>::const_iterator Presence::first_at(const Storage& storage,
                                                              Nanoseconds time) const {
  const auto gone = [&](std::uint32_t number) {
    const Mapping& row = mappings_.rows()[number];
    return row.remove ? trace_.ops.end_of(row.remove.value)
                      : std::numeric_limits<Nanoseconds>::max();
  };
  return std::ranges::lower_bound(storage.mappings, time, {}, gone);
}

bool Presence::is_there(std::int32_t device, std::uint64_t host, std::uint64_t bytes,
                        Nanoseconds at) const {
  const auto storages = by_device_.find(device);
  if (storages == by_device_.end()) return false;
  bool is_there = false;
  storages->second.overlaps.each(host, host + bytes, [&](std::uint32_t number) {
    const Storage& storage = storages->second.rows[number];
    const auto first = is_there ? storage.mappings.end() : first_at(storage, at);
    is_there = is_there || (first != storage.mappings.end() &&
                            trace_.ops.begin_of(mappings_.rows()[*first].alloc.value) <= at);
  });
  return is_there;
}

void Presence::add(const Storage& storage, Nanoseconds from, Nanoseconds to, std::size_t known,
                   OtherMappings& others) const {
  std::size_t count = 0;
  OtherMappings found;
  for (auto at = first_at(storage, from); at != storage.mappings.end(); ++at) {
    const Mapping& row = mappings_.rows()[*at];
    if (trace_.ops.begin_of(row.alloc.value) > to) break;
    ++count;
    found.mappings.push_back(*at);
    found.sent = found.sent || directions_[*at].sent;
    found.returned = found.returned || directions_[*at].returned;
  }
  if (count <= known) return;
  found.any = true;
  others = found;
}

}  // namespace ompdm::analysis
