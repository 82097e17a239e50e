// The tallies that a lane keeps, found by what they are of. Called in callbacks; memory is mapped,
// and so are the chunks that the tallies lie in, for the lane's life.
#pragma once

#include <cstddef>
#include <cstdint>

#include "spool_format/format.h"
#include "spool_format/tallies.h"

namespace ompdm::record {

struct Lane;

/// What a tally is of, in one lane.
struct TallyKey {
  std::uint64_t place;    ///< site, and above it the call path
  std::uint64_t what;     ///< TallyOf, and what tells two of that sort apart
  std::uint64_t devices;  ///< of an operation both, of a region its own
  bool operator==(const TallyKey&) const = default;
};

struct TallySlot {
  TallyKey key;
  spool::Tally* tally;    ///< null: a free slot, or one whose example is told
  std::uint32_t example;  ///< 0: a free slot
  std::uint32_t calls;    ///< the API call that was counted last
};

struct TallyTable {
  TallySlot* slots;  ///< null until the first tally
  std::uint32_t mask;
  std::uint32_t count;
  TallySlot* latest[4];    ///< found last, by what is counted
  std::uint32_t sequence;  ///< of the next chunk
  bool has_lane;
  spool::LaneId lane;  ///< of the chunks
  std::byte* cursor;
  std::byte* limit;
};

/// The slot of a key: free (`example` 0) where it is met for the first time. Null if there is no
/// memory.
[[gnu::noinline]] TallySlot* find_slot(TallyTable& table, const TallyKey& key) noexcept;

/// The same, most often the one that was found last.
inline TallySlot* slot_of(TallyTable& table, const TallyKey& key) noexcept {
  TallySlot* latest = table.latest[key.what & 3U];
  return latest != nullptr && latest->key == key ? latest : find_slot(table, key);
}

/// Room for a tally of `size` bytes, zeroed, not committed; null if the spool has none.
[[gnu::cold]] spool::Tally* tally_room(TallyTable& table, std::size_t size) noexcept;

/// Gives a slot its tally, of an example of the lane. False if the spool has no room.
[[gnu::cold]] bool make_tally(Lane& lane, TallySlot& slot, spool::TallyOf of,
                              std::uint32_t example) noexcept;

}  // namespace ompdm::record
