// Sites and their map items, as a thread's buffer defines them: hashed up at every region's
// begin, written once. Called in callbacks.
#pragma once

#include <cstdint>

#include "record/modules.h"
#include "record/thread_buffer.h"
#include "spool_format/definitions.h"

namespace ompdm::record {

/// Where the search for a site begins (multiplicative hashing: Knuth, The Art of Computer
/// Programming, volume 3, section 6.4).
inline std::uint64_t site_place(const SiteTable& table, const void* codeptr,
                                const void* ident) noexcept {
  const auto key =
      reinterpret_cast<std::uint64_t>(codeptr) + reinterpret_cast<std::uint64_t>(ident);
  return key * 0x9e3779b97f4a7c15U >> table.shift;
}

/// The place after this one.
inline std::uint64_t next_place(const SiteTable& table, std::uint64_t place) noexcept {
  return (place + 1) & (~std::uint64_t{0} >> table.shift);
}

/// Makes a zeroed table usable.
void start_sites(SiteTable& table) noexcept;

/// A slot for a site that the table does not hold, its key filled in and all else zero; null (and a
/// loss counted) if there is no memory for more.
SiteSlot* add_site(SiteTable& table, const void* codeptr, const void* ident,
                   std::uint64_t kernel) noexcept;

/// Drops the sites of closed modules, by now their addresses may be another one's, and what the
/// others know of paths.
void drop_closed_sites(SiteTable& table) noexcept;

/// Whether the slot holds the site of a call.
inline bool is_site_of(const SiteSlot& slot, const Call& call) noexcept {
  return slot.codeptr == call.codeptr && slot.ident == call.ident &&
         slot.kernel == call.kernel.host_pointer;
}

/// A site that is not where its search begins: found further on, or its record is written.
[[gnu::noinline]] SiteSlot* find_or_define_site(ThreadBuffer& buffer, const Call& call) noexcept;

/// The slot of a call's site (codeptr, ident and kernel), its record written if this buffer has not
/// yet; null if there is no room.
inline SiteSlot* site_of(ThreadBuffer& buffer, const Call& call) noexcept {
  const SiteTable& table = buffer.sites;
  SiteSlot* first = table.places[site_place(table, call.codeptr, call.ident)];
  return first != nullptr && is_site_of(*first, call) && table.generation == modules_generation()
             ? first
             : find_or_define_site(buffer, call);
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

/// 1 + the index of the item that holds `address` most tightly, 0 if none does or the address is
/// unknown (0). `last` is what it said before: libomptarget goes through the items in their order
/// or backwards, so that the items of a long list are hashed from there on.
std::uint16_t argument_of(const MapArguments& map, std::uint64_t address,
                          std::uint32_t& last) noexcept;

/// One call of __tgt_push_mapper_component(handle, base, begin, size, type, name).
void note_mapper_piece(std::uint64_t begin, std::uint64_t size, std::uint64_t type,
                       const char* name) noexcept;

/// The piece of the region that is counted which holds an address most tightly; null if none does.
const MappedPiece* piece_of(const ThreadBuffer& buffer, std::uint64_t address) noexcept;

/// Tells a piece of the region that was told last.
void record_piece(ThreadBuffer& buffer, const MappedPiece& piece) noexcept;

}  // namespace ompdm::record
