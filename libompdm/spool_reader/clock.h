// Time stamps to nanoseconds.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "ompdm/trace.h"
#include "spool_format/format.h"

namespace ompdm::trace {

/// An instant by both clocks, since an origin.
struct ClockPoint {
  double ticks;
  double ns;
};

/// The line that the triples agree on best. In longer recordings it is a line from each to the next
/// of triples that lie apart. CLOCK_MONOTONIC follows NTP, and the counter does not. With one rate
/// for ten hours, the middle was 90 ms off where the rate had changed by 10 millionths there.
class ClockScale {
 public:
  /// `triples` need no order; those that are zero are left out. `origin` is nanosecond 0.
  ClockScale(spool::Clock clock, const spool::ClockTriple& origin,
             std::span<const spool::ClockTriple> triples);

  /// Nanoseconds since the origin, never negative: an instant before the origin counts as the
  /// origin.
  [[nodiscard]] Nanoseconds at(std::uint64_t ticks) const {
    const auto since = static_cast<double>(static_cast<std::int64_t>(ticks - origin_));
    // A damaged record may hold any number: keep it far from where the conversion would overflow.
    return nearest(std::clamp(ns_since_origin(since), 0.0, 0x1p62));
  }
  /// A number of ticks in nanoseconds.
  [[nodiscard]] Nanoseconds duration(std::uint64_t ticks) const;
  /// Largest disagreement of the triples with the scale.
  [[nodiscard]] double residual_ns() const { return residual_; }
  /// False if the rate of the ticks had to be guessed, since there was one instant only.
  [[nodiscard]] bool calibrated() const { return calibrated_; }

 private:
  // The nearest whole number of what is not negative, without a call.
  static Nanoseconds nearest(double ns) {
    const auto whole = static_cast<Nanoseconds>(ns);
    return whole + (ns - static_cast<double>(whole) >= 0.5 ? 1 : 0);
  }
  [[nodiscard]] double ns_since_origin(double ticks) const {
    return knots_.size() == 1 ? ticks * ns_per_tick_ : ns_between_knots(ticks);
  }
  [[nodiscard]] double ns_between_knots(double ticks) const;

  std::uint64_t origin_ = 0;
  double ns_per_tick_ = 1;
  double residual_ = 0;
  bool calibrated_ = true;
  std::vector<ClockPoint> knots_{{0, 0}};  // ascending
};

/// Whether the triples alone lie too close together to give the rate. Then a triple of now is worth
/// adding.
bool needs_longer_base(spool::Clock clock, const spool::ClockTriple& origin,
                       std::span<const spool::ClockTriple> triples);

/// A triple of this instant, the tightest of some attempts. `clock` must be one that this processor
/// has.
spool::ClockTriple now(spool::Clock clock);

}  // namespace ompdm::trace
