// Aggregates in the spool: sums of operations that are not recorded one by one.
#pragma once

#include <cstddef>
#include <cstdint>

#include "spool_format/activities.h"
#include "spool_format/format.h"

namespace ompdm::spool {

/// Quantities from 2^44 on (five hours in nanoseconds) share the last bin.
inline constexpr unsigned kBinnedBits = 44;
/// 0 to 3 have a bin each; then four to a doubling.
inline constexpr std::size_t kBins = std::size_t{4} * (kBinnedBits - 1);

/// The bin of a quantity.
constexpr std::size_t bin_of(std::uint64_t value) noexcept {
  if (value < 4) {
    return static_cast<std::size_t>(value);
  }
  const auto bits = static_cast<unsigned>(63 - __builtin_clzll(value));
  if (bits >= kBinnedBits) {
    return kBins - 1;
  }
  return std::size_t{4} * (bits - 1) + ((value >> (bits - 2)) & 3U);
}

/// The least quantity of a bin.
constexpr std::uint64_t bin_begin(std::size_t bin) noexcept {
  return bin < 4 ? bin : (4 + (bin & 3U)) << (bin / 4 - 1);
}

static_assert(bin_of(4) == 4 && bin_of(7) == 7 && bin_of(8) == 8 && bin_of(9) == 8);
static_assert(bin_begin(8) == 8 && bin_begin(9) == 10 && bin_of(bin_begin(100)) == 100);
static_assert(bin_of((std::uint64_t{1} << kBinnedBits) - 1) == kBins - 1);

/// Sums of many quantities. Valid when zeroed; `least` is undefined while `count` is 0.
struct Quantities {
  std::uint64_t count;
  std::uint64_t sum;
  std::uint64_t squares_low;
  std::uint64_t squares_high;
  std::uint64_t least;
  std::uint64_t most;
  std::uint64_t bins[kBins];
};

/// What an aggregate sums up, in Head::flags: the sample region itself, or the one operation or
/// launch in it. An operation of an API call is a sample without a region.
enum class AggregateOf : std::uint8_t { kRegion, kOp, kLaunch };

/// Times are in nanoseconds, of a region's, operation's or submit's begin to its end.
struct Aggregate {
  Head head;
  BufferId buffer;       ///< of the sample
  std::uint32_t sample;  ///< its number in that thread buffer, from 1
  std::uint32_t reserved;
  std::uint64_t calls;  ///< API calls of the operations, without calls that are recorded, too; 0 in
                        ///< an aggregate of regions
  std::uint64_t bytes;  ///< of operations, in all
  std::uint64_t least_bytes;
  std::uint64_t most_bytes;
  Quantities times;
};
static_assert(sizeof(Aggregate) == 1472);

/// Where a sample's number is: of a region above the bits of its kind in kContextKind, of an API
/// call's operation above those of kOpWhat that say what it is.
inline constexpr unsigned kRegionSampleAt = 8;
inline constexpr unsigned kOpSampleAt = 32;

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
inline void add_bytes(Aggregate& to, std::uint64_t bytes) noexcept {
  const bool is_first = to.times.count == 0;
  to.bytes += bytes;
  to.least_bytes = is_first || bytes < to.least_bytes ? bytes : to.least_bytes;
  to.most_bytes = bytes > to.most_bytes ? bytes : to.most_bytes;
}

/// Which of the two samples is set, in Head::flags.
enum class ActivityAggregateOf : std::uint8_t { kKernel, kMemory };

/// A aggregate of device activities. `aggregate.thread buffer` is the thread buffer of kernels'
/// names; it holds no sample. Times are on CUPTI's clock.
struct ActivityAggregate {
  Aggregate aggregate;
  BufferId owner_buffer;  ///< of the sample whose activities these are
  std::uint32_t owner;    ///< its number; 0: unknown
  KernelActivity kernel;
  MemoryActivity memory;
};
static_assert(sizeof(ActivityAggregate) == 1592);

}  // namespace ompdm::spool
