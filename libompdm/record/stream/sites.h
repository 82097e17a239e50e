// Sites and modules as a lane defines them: looked up at every region's begin, written once. Called
// in callbacks.
#pragma once

#include <cstdint>

#include "record/modules/modules.h"
#include "record/stream/lane.h"
#include "spool_format/definitions.h"

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

/// A mapped item as it is told: of a literal its type and size.
inline spool::MapItem item_of(const MapArguments& map, std::uint32_t item) noexcept {
  const auto type = static_cast<std::uint64_t>(map.types[item]);
  const auto size = static_cast<std::uint64_t>(map.sizes[item]);
  if ((type & kNonContiguous) != 0) [[unlikely]] {
    const Section section = section_of(map, item);
    return {map.bases[item], section.begin, section.bytes, type};
  }
  const bool is_literal = (type & kLiteral) != 0;
  return {is_literal ? 0 : map.bases[item], is_literal ? 0 : map.begins[item], size, type};
}

}  // namespace ompdm::record
