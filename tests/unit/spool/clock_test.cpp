// Ticks to nanoseconds.
#include "spool_reader/clock.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace ompdm::trace::clock_test {
namespace {

constexpr spool::ClockTriple kOrigin{1'000'000, 500, 0};

// An instant on a clock of 2.5 ticks a nanosecond.
spool::ClockTriple instant(std::uint64_t ns, std::uint64_t late = 0) {
  return {kOrigin.ticks + ns * 5 / 2, kOrigin.monotonic_ns + ns + late, 0};
}

TEST(Clock, MonotonicTicksAreNanosecondsSinceAttach) {
  const ClockScale scale(spool::Clock::kMonotonic, kOrigin, {});
  EXPECT_EQ(scale.at(kOrigin.ticks + 123), 123);
  EXPECT_TRUE(scale.calibrated());
}

TEST(Clock, RateComesFromTheTriples) {
  const std::vector triples{kOrigin, instant(1'000'000), instant(400'000'000)};
  const ClockScale scale(spool::Clock::kTsc, kOrigin, triples);
  EXPECT_EQ(scale.at(instant(123'456'789).ticks), 123'456'789);
  EXPECT_LT(scale.residual_ns(), 1);
}

TEST(Clock, OneLateReadingIsTheResidualAndDoesNotTiltTheLine) {
  const std::vector triples{kOrigin, instant(1'000'000, 700), instant(200'000'000),
                            instant(400'000'000)};
  const ClockScale scale(spool::Clock::kTsc, kOrigin, triples);
  EXPECT_NEAR(static_cast<double>(scale.at(instant(300'000'000).ticks)), 300e6, 2);
  EXPECT_NEAR(scale.residual_ns(), 700, 3);
}

// A recording of ten hours on such a clock, while NTP makes CLOCK_MONOTONIC faster by 10 millionths
// for the second half of it.
TEST(Clock, ARateThatNtpChangesOnTheWayIsFollowed) {
  constexpr std::uint64_t kSecond = 1'000'000'000;
  constexpr std::uint64_t kHalf = 5 * 3600 * kSecond;
  const auto slewed = [](std::uint64_t ns) {
    return instant(ns, ns < kHalf ? 0 : (ns - kHalf) / 100'000);
  };
  std::vector<spool::ClockTriple> triples;
  for (std::uint64_t second = 0; second <= 2 * kHalf / kSecond; second += 60) {
    triples.push_back(slewed(second * kSecond));
  }
  const ClockScale scale(spool::Clock::kTsc, kOrigin, triples);
  const ClockScale one_rate(spool::Clock::kTsc, kOrigin,
                            std::vector{triples.front(), triples.back()});
  double worst = 0;
  double worst_of_one = 0;
  for (std::uint64_t second = 30; second < 2 * kHalf / kSecond; second += 77) {
    const spool::ClockTriple truth = slewed(second * kSecond);
    const auto ns = static_cast<double>(truth.monotonic_ns - kOrigin.monotonic_ns);
    const auto error = [&](const ClockScale& of) {
      return std::abs(static_cast<double>(of.at(truth.ticks)) - ns);
    };
    worst = std::max(worst, error(scale));
    worst_of_one = std::max(worst_of_one, error(one_rate));
  }
  EXPECT_LT(worst, 1e6);
  EXPECT_GT(worst_of_one, 80e6);  // what this is about
}

TEST(Clock, TriplesThatCannotBeAreNoPartOfTheScale) {
  std::vector<spool::ClockTriple> triples{kOrigin};
  for (std::uint64_t second = 20; second <= 100; second += 20) {
    triples.push_back(instant(second * 1'000'000'000));
  }
  triples.push_back({instant(50'000'000'000).ticks, instant(20'000'000'000).monotonic_ns, 0});
  const ClockScale scale(spool::Clock::kTsc, kOrigin, triples);
  EXPECT_NEAR(static_cast<double>(scale.at(instant(45'000'000'000).ticks)), 45e9, 1e3);
  EXPECT_GT(scale.residual_ns(), 1e9);
}

TEST(Clock, OneInstantAloneIsSaidToBeUncalibrated) {
  const std::vector triples{kOrigin, spool::ClockTriple{}};
  EXPECT_FALSE(ClockScale(spool::Clock::kTsc, kOrigin, triples).calibrated());
  EXPECT_TRUE(needs_longer_base(spool::Clock::kTsc, kOrigin, triples));
}

TEST(Clock, ATripleOfNowIsWorthItOnlyForShortRecordings) {
  const std::vector longer{kOrigin, instant(400'000'000)};
  EXPECT_FALSE(needs_longer_base(spool::Clock::kTsc, kOrigin, longer));
  EXPECT_FALSE(needs_longer_base(spool::Clock::kMonotonic, kOrigin, {}));
}

TEST(Clock, NothingIsBeforeAttachNorBeyondTheNumbers) {
  const ClockScale scale(spool::Clock::kMonotonic, kOrigin, {});
  EXPECT_EQ(scale.at(0), 0);
  EXPECT_GE(scale.at(0x7fff'ffff'ffff'ffffU), 0);
}

}  // namespace
}  // namespace ompdm::trace::clock_test
