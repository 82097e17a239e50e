// The sites that a lane has defined: few to begin with, any number in the end, at addresses that
// stay good. Called in callbacks; memory is mapped, some pages at first and twice as many each
// time.
#pragma once

#include <cstdint>

#include "record/contents/sampling.h"
#include "record/stream/path_table.h"
#include "spool_format/format.h"

namespace ompdm::record {

/// A site that a lane has defined.
struct alignas(64) SiteSlot {
  union {
    const void* codeptr;
    SiteSlot* next_unused;  ///< of a slot that its site has left
  };
  const void* ident;
  std::uint64_t kernel;
  spool::SiteId id;
  spool::ModuleId module;  ///< that codeptr lies in
  // The tree of paths from where the latest call lay on the stack.
  std::uint64_t path_stack;
  PathNode* path_root;
  Context* contexts;  ///< of its regions whose path is not known, the latest one first
  Sampling sampling;
};

/// Places that point to slots, looked through from where a site's hash says: of four places at most
/// one is taken, so that nearly each search ends where it begins.
struct SiteTable {
  static constexpr unsigned kFirstBits = 6;
  static constexpr unsigned kFirstSlots = (1U << kFirstBits) / 4;

  SiteSlot** places;         ///< null where there is none
  std::uint32_t shift;       ///< 64 less the logarithm of their number
  std::uint32_t generation;  ///< modules_generation() for which the table holds
  std::uint32_t count;       ///< of places taken
  SiteSlot* fresh;           ///< slots never used, up to
  SiteSlot* fresh_end;
  SiteSlot* unused;  ///< slots that were used before
  SiteSlot* first_places[1U << kFirstBits];
  SiteSlot first_slots[kFirstSlots];
};

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

}  // namespace ompdm::record
