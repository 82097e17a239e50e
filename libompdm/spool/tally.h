// Tallies: what a process did while it was counted, not told event by event. A tally is a record
// that is updated in place, so a killed process's is whole but for what was being added.
//
// Each is of what is alike in one lane: a region by its site, call path, kind and device; an
// operation by its region's (or API call's) site and call path, its sort, devices and map item. An
// *example*, one such region with nothing else in it, or one such operation, is told as an event of
// the lane, under a number by which the tally refers to it.
#pragma once

#include <cstdint>

#include "spool/format.h"
#include "spool/quantities.h"

namespace ompdm::spool {

/// What many quantities add up to. Zero at first; `least` means nothing while there are none.
struct Quantities {
  std::uint64_t count;
  std::uint64_t sum;
  std::uint64_t squares_low;
  std::uint64_t squares_high;
  std::uint64_t least;
  std::uint64_t most;
  std::uint64_t bins[kBins];
};

/// What is counted, in Head::flags: the example region itself, or the operation or launch that is
/// all of it. An operation of an API call is an example by itself.
enum class TallyOf : std::uint8_t { kRegion, kOp, kLaunch };

/// Times are in nanoseconds, of a region's, operation's or submit's begin to its end.
struct Tally {
  Head head;
  LaneId lane;            ///< of the example
  std::uint32_t example;  ///< its number in that lane, from 1
  std::uint32_t reserved;
  std::uint64_t calls;  ///< API calls that the operations are of, without one of which some were
                        ///< told; 0: they are of regions, or of no other call
  std::uint64_t bytes;  ///< of operations, in all
  std::uint64_t least_bytes;
  std::uint64_t most_bytes;
  Quantities times;
};
static_assert(sizeof(Tally) == 1472);

/// Where an example's number is: of a region above the bits of its kind in kContextKind, of an API
/// call's operation above those of kOpWhat that say what it is.
inline constexpr unsigned kRegionExampleAt = 8;
inline constexpr unsigned kOpExampleAt = 32;

/// Adds one quantity.
inline void add(Quantities& to, std::uint64_t value) noexcept {
  to.least = to.count == 0 || value < to.least ? value : to.least;
  to.most = value > to.most ? value : to.most;
  ++to.count;
  to.sum += value;
  __extension__ using Wide = unsigned __int128;
  const Wide square = Wide{value} * value;
  const auto low = static_cast<std::uint64_t>(square);
  to.squares_low += low;
  to.squares_high +=
      static_cast<std::uint64_t>(square >> 64U) + static_cast<std::uint64_t>(to.squares_low < low);
  ++to.bins[bin_of(value)];
}

/// Adds the bytes of one operation or activity, whose time, which counts it, is added next.
inline void add_bytes(Tally& to, std::uint64_t bytes) noexcept {
  const bool is_first = to.times.count == 0;
  to.bytes += bytes;
  to.least_bytes = is_first || bytes < to.least_bytes ? bytes : to.least_bytes;
  to.most_bytes = bytes > to.most_bytes ? bytes : to.most_bytes;
}

}  // namespace ompdm::spool
