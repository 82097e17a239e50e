// From the recorder's ticks to nanoseconds since attach, through the instants that a spool holds on
// both clocks. Pure arithmetic but for `now()`.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ompdm/trace.h"
#include "spool/format.h"

namespace ompdm::trace {

/// The line that the triples agree on best; in longer recordings a line from one to the next of
/// those that lie apart, since CLOCK_MONOTONIC follows NTP and the counter does not: one rate for
/// ten hours was 90 ms off in the middle where the rate had changed by 10 millionths there.
class ClockScale {
 public:
  /// `triples` need no order; those that are zero are left out. `origin` is nanosecond 0.
  ClockScale(spool::Clock clock, const spool::ClockTriple& origin,
             std::span<const spool::ClockTriple> triples);

  /// Nanoseconds since the origin, never negative: what was read before it happened at it.
  [[nodiscard]] Nanoseconds at(std::uint64_t ticks) const;
  /// So many ticks in nanoseconds.
  [[nodiscard]] Nanoseconds duration(std::uint64_t ticks) const;
  /// Largest disagreement of the triples with the scale.
  [[nodiscard]] double residual_ns() const { return residual_; }
  /// False where the ticks' rate had to be guessed: there was one instant only.
  [[nodiscard]] bool calibrated() const { return calibrated_; }

 private:
  struct Knot {
    double ticks;
    double ns;
  };
  [[nodiscard]] double ns_since_origin(double ticks) const;

  std::uint64_t origin_ = 0;
  double ns_per_tick_ = 1;
  double residual_ = 0;
  bool calibrated_ = true;
  std::vector<Knot> knots_{{0, 0}};  // ascending
};

/// Whether the triples alone lie too close together to give the rate, so that one taken now is
/// worth adding.
bool needs_longer_base(spool::Clock clock, const spool::ClockTriple& origin,
                       std::span<const spool::ClockTriple> triples);

/// A triple of this instant, the tightest of some attempts. `clock` must be one that this processor
/// has.
spool::ClockTriple now(spool::Clock clock);

}  // namespace ompdm::trace
