// How a quantity is sorted into the bins of a histogram: the same wherever one is kept, so that
// histograms of the recorder, of traces and of summaries add up. Four bins to each doubling.
#pragma once

#include <cstddef>
#include <cstdint>

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

}  // namespace ompdm::spool
