// Ticks to nanoseconds.
#include "trace/clock.h"

#include <gtest/gtest.h>

#include <vector>

namespace ompdm::trace {
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
}  // namespace ompdm::trace
