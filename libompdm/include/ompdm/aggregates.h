// Events that a recorder added up instead of keeping each: exact sums, extremes and a logarithmic
// histogram.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "ompdm/events.h"
#include "ompdm/fields.h"

namespace ompdm {

/// The distribution of quantities of 0 and more: times in nanoseconds, or bytes. Sums are modulo
/// 2^64, sums of squares modulo 2^128.
struct Distribution {
  /// 0 to 3 have a bin each. Then four bins share a doubling: 4, 5, 6, 7, 8 to 9, 10 to 11, and so
  /// on. The last bin has all values of 2^44 or more.
  static constexpr std::size_t kBins = 172;

  std::uint64_t count = 0;
  std::uint64_t sum = 0;
  std::uint64_t squares_low = 0;  ///< sum of squares, its low 64 bits
  std::uint64_t squares_high = 0;
  /// This value if there are none
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
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
  /// The quantile of `part`, from 0 to 1: so large a part of the quantities does not exceed it. It
  /// is interpolated in its bin, so that its error is less than a quarter. It is never below the
  /// least, nor above the most. 0 if there are none.
  [[nodiscard]] std::uint64_t quantile(double part) const;
  [[nodiscard]] std::uint64_t median() const { return quantile(0.5); }
};

template <class Visit, RowOf<Distribution> Row>
constexpr void fields(Visit&& visit, Row& row) {
  visit("count", row.count, {.optional = true});
  visit("sum_ns", row.sum, {.optional = true});
  visit("squares_low", row.squares_low, {.optional = true});
  visit("squares_high", row.squares_high, {.optional = true});
  visit("least_ns", row.least, {.absent = -1, .optional = true});  // 2^64 - 1
  visit("most_ns", row.most, {.optional = true});
  visit("bins", row.bins);
}

/// The least quantity of a bin of Distribution.
std::uint64_t bin_begin(std::size_t bin);

/// Regions of one directive, reached by one call path on one thread. `like` is a sample.
struct RegionAggregate {
  Region like;
  Distribution times;  ///< nanoseconds
  bool operator==(const RegionAggregate&) const = default;
};

template <class Visit, RowOf<RegionAggregate> Row>
constexpr void fields(Visit&& visit, Row& row) {
  visit.sample(row.like);
  fields(visit, row.times);
}

/// Operations of one kind, of one mapped item of such regions or of one call site of the API.
/// `like` is a sample without `region`. Its `path` is the call path, even if the operations are of
/// regions.
struct OpAggregate {
  DataOp like;
  /// API calls of these operations. Calls of which some operations are rows of their own are left
  /// out. 0: the operations are of regions, or of such calls only.
  std::uint64_t calls = 0;
  std::uint64_t bytes = 0;  ///< in all
  std::uint64_t least_bytes = 0;
  std::uint64_t most_bytes = 0;
  Distribution times;
  bool operator==(const OpAggregate&) const = default;
};

template <class Visit, RowOf<OpAggregate> Row>
constexpr void fields(Visit&& visit, Row& row) {
  visit.sample(row.like);
  visit("calls", row.calls, {.optional = true});
  visit("bytes", row.bytes, {.optional = true});
  visit("least_bytes", row.least_bytes, {.optional = true});
  visit("most_bytes", row.most_bytes, {.optional = true});
  fields(visit, row.times);
}

/// Launches of the kernel of such regions. `like` is a sample without `region`.
struct LaunchAggregate {
  Launch like;
  Index<CallPath> path;
  Distribution times;
  bool operator==(const LaunchAggregate&) const = default;
};

template <class Visit, RowOf<LaunchAggregate> Row>
constexpr void fields(Visit&& visit, Row& row) {
  visit.sample(row.like);
  visit("path", row.path);
  fields(visit, row.times);
}

/// Device activities (CUPTI) of such operations or launches, of one kind and name, between one pair
/// of kinds of memory. `like` is a sample that refers to no operation, launch or region.
struct ActivityAggregate {
  DeviceActivity like;
  Index<OpAggregate> op;  ///< whose work it is, a position in Trace::op_aggregates
  Index<LaunchAggregate> launch;
  std::uint64_t bytes = 0;  ///< in all
  std::uint64_t least_bytes = 0;
  std::uint64_t most_bytes = 0;
  Distribution times;  ///< on the device's clock
  bool operator==(const ActivityAggregate&) const = default;
};

template <class Visit, RowOf<ActivityAggregate> Row>
constexpr void fields(Visit&& visit, Row& row) {
  visit.sample(row.like);
  visit("op_tally", row.op);
  visit("launch_tally", row.launch);
  visit("bytes", row.bytes, {.optional = true});
  visit("least_bytes", row.least_bytes, {.optional = true});
  visit("most_bytes", row.most_bytes, {.optional = true});
  fields(visit, row.times);
}

}  // namespace ompdm
