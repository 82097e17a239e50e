// Sites, map lists and modules as a lane defines them: looked up at every region's begin, written
// once. Called in callbacks.
#pragma once

#include <cstdint>

#include "record/modules/modules.h"
#include "record/stream/lane.h"
#include "spool/events.h"

namespace ompdm::record {

/// Whether the slot holds the site of a call.
inline bool is_site_of(const SiteSlot& slot, const Call& call) noexcept {
  return slot.codeptr == call.codeptr && slot.ident == call.ident &&
         slot.kernel == call.kernel.host_pointer;
}

/// A site that is not where its search begins: found further on, or its record is written.
[[gnu::noinline]] SiteSlot* find_or_define_site(Lane& lane, const Call& call) noexcept;

/// The slot of a call's site (codeptr, ident and kernel), its record written if this lane has not
/// yet; null if there is no room.
inline SiteSlot* site_of(Lane& lane, const Call& call) noexcept {
  const SiteTable& table = lane.sites;
  SiteSlot* first = table.places[site_place(table, call.codeptr, call.ident)];
  return first != nullptr && is_site_of(*first, call) && table.generation == modules_generation()
             ? first
             : find_or_define_site(lane, call);
}

inline constexpr std::uint64_t kLiteral = 0x100;  ///< OMP_TGT_MAPTYPE_LITERAL: a value, no pointer

inline constexpr std::uint64_t kNonContiguous = 0x100000000000;  ///< OMP_TGT_MAPTYPE_NON_CONTIG

/// What an item takes of the host's memory: where it begins, and how many bytes that are in all.
struct Section {
  std::uint64_t begin;
  std::uint64_t bytes;
};

/// That of an item with kNonContiguous, of which the runtime is given a descriptor; of what is none
/// the bytes that can be told, or 0.
[[gnu::cold]] Section section_of(const MapArguments& map, std::uint32_t item) noexcept;

/// Equal for equal map lists, else different with near certainty: multilinear in each item's words
/// (Lemire and Kaser, Strongly universal string hashing is fast, 2014). A literal counts by its
/// type alone. Never 0.
inline std::uint64_t map_list_hash(const MapArguments& map) noexcept {
  std::uint64_t hash = map.count;
  for (std::uint32_t i = 0; i < map.count; ++i) {
    const auto type = static_cast<std::uint64_t>(map.types[i]);
    hash = (hash ^ hash >> 29U) * 0x9e3779b97f4a7c15U + type * 0xff51afd7ed558ccdU;
    if ((type & (kLiteral | kNonContiguous)) == 0) [[likely]] {
      hash += map.bases[i] * 0xc4ceb9fe1a85ec53U + map.begins[i] * 0xd6e8feb86659fd93U +
              static_cast<std::uint64_t>(map.sizes[i]) * 0xbf58476d1ce4e5b9U;
    } else if ((type & kNonContiguous) != 0) {
      const Section section = section_of(map, i);
      hash += section.begin * 0xd6e8feb86659fd93U + section.bytes * 0xbf58476d1ce4e5b9U;
    }
  }
  return hash | 1U;
}

/// Writes a map list that is not among the last few of its site.
[[gnu::cold]] spool::MapListId define_map_list(Lane& lane, SiteSlot& site, const MapArguments& map,
                                               std::uint64_t hash) noexcept;

/// The map list at this site, its record written if it is not among the last few; none if there is
/// none.
inline spool::MapListId map_list_of(Lane& lane, SiteSlot& site, const MapArguments& map) noexcept {
  if (map.count == 0 || map.begins == nullptr) {
    return spool::MapListId::kNone;
  }
  const std::uint64_t hash = map_list_hash(map);
  for (unsigned i = 0; i < SiteSlot::kLists; ++i) {
    if (site.list_hashes[i] == hash) [[likely]] {
      return site.list_ids[i];
    }
  }
  return define_map_list(lane, site, map, hash);
}

/// If a kernel call of this thread was never followed by its target region, writes that it ran on
/// the host. Which device it asked for is only known while the runtime can be asked.
void note_host_fallback(bool runtime_can_be_asked) noexcept;

}  // namespace ompdm::record
