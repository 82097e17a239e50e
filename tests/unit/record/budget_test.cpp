// The time that contents may take, on a clock of the test's own: a tick is a nanosecond.

#include "record/contents/budget.h"

#include <gtest/gtest.h>

#include <limits>

namespace ompdm::record {
namespace {

constexpr std::uint64_t kAttach = 1'000'000'000'000;
constexpr std::uint64_t kMillisecond = 1'000'000;
constexpr std::uint64_t kSecond = 1'000 * kMillisecond;

class BudgetTest : public ::testing::Test {
 protected:
  Budget limited;
  void SetUp() override { limited.start(kHashDefault, kAttach, kCreditNanoseconds); }
};

TEST_F(BudgetTest, TheCreditIsAnAdvance) {
  EXPECT_TRUE(limited.allows(kAttach, 50 * kMillisecond));
  EXPECT_FALSE(limited.allows(kAttach, 50 * kMillisecond + 1));
  limited.charge(50 * kMillisecond);
  EXPECT_FALSE(limited.allows(kAttach + kSecond, 1)) << "3 % of a second is no more than that";
  EXPECT_TRUE(limited.allows(kAttach + 2 * kSecond, 10 * kMillisecond));
  EXPECT_FALSE(limited.allows(kAttach + 2 * kSecond, 10 * kMillisecond + 1));
}

TEST_F(BudgetTest, LargeHashesLeaveAQuarter) {
  EXPECT_TRUE(limited.allows_dear(kAttach, 37 * kMillisecond));
  EXPECT_FALSE(limited.allows_dear(kAttach, 38 * kMillisecond));
}

TEST_F(BudgetTest, AnInstantBeforeTheAttachIsNoEternity) {
  EXPECT_FALSE(limited.allows(kAttach - 1, 51 * kMillisecond));
}

TEST_F(BudgetTest, YearsDoNotOverflow) {
  const std::uint64_t year = std::uint64_t{365} * 86400 * kSecond;
  EXPECT_TRUE(limited.allows(kAttach + 5 * year, 5 * year / 100 * 3));
  EXPECT_FALSE(limited.allows(kAttach + 5 * year, 5 * year / 100 * 3 + kSecond));
}

TEST_F(BudgetTest, NothingAndEverything) {
  limited.start(kHashNothing, kAttach, kCreditNanoseconds);
  EXPECT_TRUE(limited.off());
  limited.start(kHashEverything, kAttach, kCreditNanoseconds);
  limited.charge(1000 * kSecond);
  EXPECT_TRUE(limited.unlimited());
  EXPECT_TRUE(limited.allows(kAttach, 1000 * kSecond));
}

TEST_F(BudgetTest, ExpectsWhatHashingTookSoFar) {
  constexpr std::uint64_t kMebibyte = 1 << 20;
  // 8 GB/s before anything was hashed.
  EXPECT_NEAR(static_cast<double>(limited.expected(800 * kMebibyte)), 800.0 * kMebibyte / 8, 2e6);
  for (int i = 0; i < 100; ++i) {
    limited.learn(100 * kMebibyte, 100 * kMebibyte / 2);  // 2 GB/s
  }
  EXPECT_NEAR(static_cast<double>(limited.expected(100 * kMebibyte)), 100.0 * kMebibyte / 2, 2e6);
  EXPECT_GT(limited.expected(std::numeric_limits<std::uint64_t>::max() / 64), 0U);
}

TEST_F(BudgetTest, ThinningFollowsSlowly) {
  limited.refused(kAttach + kMillisecond);
  EXPECT_EQ(limited.thinning(), 0U) << "the sites of one moment are one reason";
  limited.refused(kAttach + 20 * kMillisecond);
  limited.refused(kAttach + 21 * kMillisecond);
  EXPECT_EQ(limited.thinning(), 1U);
  limited.refused(kAttach + 40 * kMillisecond);
  EXPECT_EQ(limited.thinning(), 2U);
  limited.charge(40 * kMillisecond);
  limited.afforded(kAttach + kSecond);
  EXPECT_EQ(limited.thinning(), 2U) << "more than half is spent";
  limited.afforded(kAttach + 10 * kSecond);
  EXPECT_EQ(limited.thinning(), 1U);
}

}  // namespace
}  // namespace ompdm::record
