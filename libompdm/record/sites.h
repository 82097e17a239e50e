// Sites and their map items, as a thread's buffer defines them: looked up at every region's begin,
// written once. Called in callbacks.
#pragma once

#include <cstdint>

#include "record/modules.h"
#include "record/thread_buffer.h"
#include "spool_format/definitions.h"

namespace ompdm::record {

/// The first place of a site in the table (multiplicative hashing: Knuth, The Art of Computer
/// Programming, volume 3, section 6.4).
inline std::uint64_t site_place(const SiteTable& table, const void* codeptr,
                                const void* ident) noexcept {
  const auto key =
      reinterpret_cast<std::uint64_t>(codeptr) + reinterpret_cast<std::uint64_t>(ident);
  return key * 0x9e3779b97f4a7c15U >> table.shift;
}

/// Makes a zeroed table usable.
void start_sites(SiteTable& table) noexcept;

/// Whether the slot holds the site of a call.
inline bool is_site_of(const SiteSlot& slot, const Call& call) noexcept {
  return slot.codeptr == call.codeptr && slot.ident == call.ident &&
         slot.kernel == call.kernel.host_pointer;
}

/// The slow part of site_of(): probes further, or writes the site's record.
[[gnu::noinline]] SiteSlot* find_or_define_site(ThreadBuffer& buffer, const Call& call) noexcept;

/// The slot of a call's site, whose record is written if it is new; null (and a loss counted) if
/// there is no room.
inline SiteSlot* site_of(ThreadBuffer& buffer, const Call& call) noexcept {
  const SiteTable& table = buffer.sites;
  SiteSlot* first = table.places[site_place(table, call.codeptr, call.ident)];
  return first != nullptr && is_site_of(*first, call) && table.generation == modules_generation()
             ? first
             : find_or_define_site(buffer, call);
}

/// OMP_TGT_MAPTYPE_*.
inline constexpr std::uint64_t kTo = 0x1;
inline constexpr std::uint64_t kAlways = 0x4;
inline constexpr std::uint64_t kPrivate = 0x80;
inline constexpr std::uint64_t kLiteral = 0x100;  ///< a value, no pointer
inline constexpr std::uint64_t kImplicit = 0x200;
/// OMP_TGT_MAPTYPE_NON_CONTIG: the item is described by dimensions.
inline constexpr std::uint64_t kNonContiguous = 0x100000000000;

/// The host memory of an item: its begin and total size.
struct Section {
  std::uint64_t begin;
  std::uint64_t bytes;
};

/// The host memory of a kNonContiguous item, from the descriptor that the runtime is given. The
/// size is 0 if the descriptor does not tell.
[[gnu::cold]] Section section_of(const MapArguments& map, std::uint32_t item) noexcept;

/// A map item as it is recorded: of a literal the type and size alone.
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

/// 1 + the index of the smallest item that holds `address`; 0 if none does, or `address` is 0.
/// `last` is the previous answer: libomptarget goes through the items in their order or backwards,
/// so a long list is searched from there on.
std::uint16_t argument_of(const MapArguments& map, std::uint64_t address,
                          std::uint32_t& last) noexcept;

/// A call of __tgt_push_mapper_component(handle, base, begin, size, type, name), by which a
/// `declare mapper` adds storage to the construct whose region is open on this thread. OMPT reports
/// such pieces without a name.
void note_mapper_piece(std::uint64_t begin, std::uint64_t size, std::uint64_t type,
                       const char* name) noexcept;

/// The smallest piece of the aggregated region that holds an address; null if none does.
const MappedPiece* piece_of(const ThreadBuffer& buffer, std::uint64_t address) noexcept;

/// Records a piece of the region that was recorded last.
void record_piece(ThreadBuffer& buffer, const MappedPiece& piece) noexcept;

}  // namespace ompdm::record
