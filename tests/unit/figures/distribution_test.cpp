#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "ompdm/aggregates.h"

namespace ompdm::distribution_test {
namespace {

std::vector<std::uint64_t> quantities(unsigned seed) {
  std::mt19937_64 random(seed);
  std::lognormal_distribution<double> times(9, 2);
  std::vector<std::uint64_t> values(1000);
  for (std::uint64_t& value : values) value = static_cast<std::uint64_t>(times(random));
  return values;
}

Distribution of(const std::vector<std::uint64_t>& values) {
  Distribution all;
  for (const std::uint64_t value : values) all.add(value);
  return all;
}

TEST(Distribution, OfNothingSaysNothing) {
  const Distribution none;
  EXPECT_EQ(none.mean(), 0);
  EXPECT_EQ(none.deviation(), 0);
  EXPECT_EQ(none.median(), 0U);
}

TEST(Distribution, HasTheSumsOfItsQuantities) {
  const Distribution all = of({3, 5, 5, 11});
  EXPECT_EQ(all.count, 4U);
  EXPECT_EQ(all.sum, 24U);
  EXPECT_EQ(all.least, 3U);
  EXPECT_EQ(all.most, 11U);
  EXPECT_DOUBLE_EQ(all.mean(), 6);
  EXPECT_DOUBLE_EQ(all.deviation(), 3);
}

TEST(Distribution, AddsUpInAnyOrder) {
  const std::vector<std::uint64_t> values = quantities(1);
  std::vector<Distribution> parts(7);
  for (std::size_t i = 0; i < values.size(); ++i) parts[i * i % 7].add(values[i]);
  Distribution forth;
  Distribution back;
  for (const Distribution& part : parts) forth.add(part);
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) back.add(*part);
  EXPECT_EQ(forth, of(values));
  EXPECT_EQ(back, of(values));
}

TEST(Distribution, OneQuantityManyTimesIsThatManyOfIt) {
  Distribution one;
  one.add(700, 5);
  EXPECT_EQ(one, of({700, 700, 700, 700, 700}));
  EXPECT_EQ(one.median(), 700U);
  EXPECT_EQ(one.deviation(), 0);
}

// A week of transfers of a second each: squares beyond 64 bits, a deviation of one nanosecond.
TEST(Distribution, KeepsItsDigitsWhereSquaresAreLarge) {
  Distribution week;
  week.add(1'000'000'000, 300'000);
  week.add(1'000'000'002, 300'000);
  EXPECT_NE(week.squares_high, 0U);
  EXPECT_DOUBLE_EQ(week.deviation(), 1);
}

TEST(Distribution, QuantilesAreWithinTheirBin) {
  for (unsigned seed = 1; seed < 20; ++seed) {
    std::vector<std::uint64_t> values = quantities(seed);
    const Distribution all = of(values);
    std::sort(values.begin(), values.end());
    for (const double part : {0.01, 0.25, 0.5, 0.9, 0.99}) {
      const auto truth =
          static_cast<double>(values[static_cast<std::size_t>(std::ceil(part * 1000)) - 1]);
      EXPECT_NEAR(static_cast<double>(all.quantile(part)), truth, 0.25 * truth + 1) << seed;
    }
    EXPECT_GE(all.quantile(0), all.least);
    EXPECT_LE(all.quantile(1), all.most);
  }
}

TEST(Distribution, TakesAnyQuantity) {
  Distribution wide;
  wide.add(0);
  wide.add(~std::uint64_t{0});
  EXPECT_EQ(wide.bins.front(), 1U);
  EXPECT_EQ(wide.bins.back(), 1U);
  EXPECT_EQ(wide.quantile(1), ~std::uint64_t{0});
  EXPECT_EQ(wide.quantile(0), 0U);
}

TEST(Distribution, BinsFollowEachOther) {
  for (std::size_t bin = 1; bin < Distribution::kBins; ++bin) {
    EXPECT_LT(bin_begin(bin - 1), bin_begin(bin));
    Distribution one;
    one.add(bin_begin(bin));
    EXPECT_EQ(one.bins[bin], 1U) << bin;
    Distribution before;
    before.add(bin_begin(bin) - 1);
    EXPECT_EQ(before.bins[bin - 1], 1U) << bin;
  }
}

}  // namespace
}  // namespace ompdm::distribution_test
