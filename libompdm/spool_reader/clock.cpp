#include "spool_reader/clock.h"

#include <time.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include <cmath>
#include <functional>
#include <limits>

namespace ompdm::trace {

namespace {

// Beyond this base, reading noise of 100 ns tilts the line by a millionth at most.
constexpr double kLongBaseNs = 100e6;
// Between knots this far apart a reading that is late by 1 us tilts the line by a ten-millionth. A
// processor's clock wanders as much by itself.
constexpr double kKnotsApartNs = 10e9;
// Lines tried: through the origin and each of the farthest triples.
constexpr std::size_t kCandidates = 64;

double difference(std::uint64_t a, std::uint64_t b) {
  return static_cast<double>(static_cast<std::int64_t>(a - b));
}

std::vector<ClockPoint> relative_to(const spool::ClockTriple& origin,
                                    std::span<const spool::ClockTriple> triples) {
  std::vector<ClockPoint> points;
  for (const auto& triple : triples) {
    if (triple.ticks == 0 || triple.monotonic_ns == 0) continue;
    points.push_back({difference(triple.ticks, origin.ticks),
                      difference(triple.monotonic_ns, origin.monotonic_ns)});
  }
  std::ranges::sort(points, std::greater(), &ClockPoint::ticks);
  return points;
}

double largest_disagreement(const std::vector<ClockPoint>& points, double rate) {
  double largest = 0;
  for (const auto& point : points) {
    largest = std::max(largest, std::abs(point.ticks * rate - point.ns));
  }
  return largest;
}

std::uint64_t nanoseconds(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(time.tv_nsec);
}

}  // namespace

ClockScale::ClockScale(spool::Clock clock, const spool::ClockTriple& origin,
                       std::span<const spool::ClockTriple> triples)
    : origin_(origin.ticks) {
  if (clock == spool::Clock::kMonotonic) return;
  const std::vector<ClockPoint> points = relative_to(origin, triples);
  double best = std::numeric_limits<double>::max();
  for (std::size_t i = 0; i < points.size() && i < kCandidates; ++i) {
    if (points[i].ticks <= 0 || points[i].ns <= 0) continue;
    const double rate = points[i].ns / points[i].ticks;
    const double worst = largest_disagreement(points, rate);
    if (worst < best) {
      best = worst;
      ns_per_tick_ = rate;
    }
  }
  calibrated_ = best < std::numeric_limits<double>::max();
  if (!calibrated_) return;
  for (auto point = points.rbegin(); point != points.rend(); ++point) {
    const ClockPoint& last = knots_.back();
    const double apart = point->ns - last.ns;
    const double expected = (point->ticks - last.ticks) * ns_per_tick_;
    // A damaged triple may hold anything.
    const bool plausible = apart > expected / 2 && apart < expected * 2;
    if (plausible && apart >= kKnotsApartNs) knots_.push_back({point->ticks, point->ns});
  }
  for (const ClockPoint& point : points) {
    residual_ = std::max(residual_, std::abs(ns_since_origin(point.ticks) - point.ns));
  }
}

double ClockScale::ns_between_knots(double ticks) const {
  // The last line is also used beyond its end.
  const auto to =
      std::upper_bound(knots_.begin() + 1, knots_.end() - 1, ticks,
                       [](double at, const ClockPoint& knot) { return at < knot.ticks; });
  const ClockPoint& from = *(to - 1);
  return from.ns + (ticks - from.ticks) * (to->ns - from.ns) / (to->ticks - from.ticks);
}

Nanoseconds ClockScale::duration(std::uint64_t ticks) const {
  // No duration is longer than minutes, but a damaged record may say so.
  return nearest(std::min(static_cast<double>(ticks) * ns_per_tick_, 0x1p40));
}

bool needs_longer_base(spool::Clock clock, const spool::ClockTriple& origin,
                       std::span<const spool::ClockTriple> triples) {
  if (clock == spool::Clock::kMonotonic) return false;
  const std::vector<ClockPoint> points = relative_to(origin, triples);
  return std::none_of(points.begin(), points.end(),
                      [](const ClockPoint& point) { return point.ns >= kLongBaseNs; });
}

spool::ClockTriple now(spool::Clock clock) {
  spool::ClockTriple best{};
  std::uint64_t tightest = std::numeric_limits<std::uint64_t>::max();
  for (int attempt = 0; attempt < 8; ++attempt) {
    const std::uint64_t before = nanoseconds(CLOCK_MONOTONIC);
    std::uint64_t ticks = before;
#if defined(__x86_64__)
    if (clock == spool::Clock::kTsc) ticks = __rdtsc();
#else
    if (clock == spool::Clock::kTsc) return {};
#endif
    const std::uint64_t after = nanoseconds(CLOCK_MONOTONIC);
    if (after - before >= tightest) continue;
    tightest = after - before;
    best = {ticks, before + tightest / 2, nanoseconds(CLOCK_REALTIME)};
  }
  return best;
}

}  // namespace ompdm::trace
