// What is kept of many quantities when they are not kept one by one: exact sums, extremes, and a
// logarithmic histogram. Adding two is exact and gives the same in any order. Pure functions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace ompdm {

/// Of quantities that are no less than 0: times in nanoseconds, or bytes. Sums are modulo 2^64, of
/// squares modulo 2^128.
struct Distribution {
  /// 0 to 3 have a bin each, then four share a doubling: 4, 5, 6, 7, 8 to 9, 10 to 11, … What is
  /// 2^44 or more is in the last one.
  static constexpr std::size_t kBins = 172;

  std::uint64_t count = 0;
  std::uint64_t sum = 0;
  std::uint64_t squares_low = 0;  ///< sum of squares, its low 64 bits
  std::uint64_t squares_high = 0;
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();  ///< this if there are none
  std::uint64_t most = 0;
  std::array<std::uint64_t, kBins> bins{};

  bool operator==(const Distribution&) const = default;

  /// Adds a quantity, `times` times.
  void add(std::uint64_t value, std::uint64_t times = 1);
  /// Adds all of another's quantities.
  void add(const Distribution& other);

  /// 0 if there are none.
  [[nodiscard]] double mean() const;
  /// The deviation of all of them (not of a sample), exact but for rounding; 0 if there are none.
  [[nodiscard]] double deviation() const;
  /// A quantity that so large a part of them does not exceed, `part` from 0 to 1: within its bin,
  /// so less than a quarter from the truth, and never beyond the least or most. 0 if there are
  /// none.
  [[nodiscard]] std::uint64_t quantile(double part) const;
  [[nodiscard]] std::uint64_t median() const { return quantile(0.5); }
};

/// The least quantity of a bin of Distribution.
std::uint64_t bin_begin(std::size_t bin);

}  // namespace ompdm
