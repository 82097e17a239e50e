// What may be hashed, in bytes and in time, on a clock of the test's own: a tick is a
// nanosecond.

#include <gtest/gtest.h>

#include "record/hashing.h"

namespace ompdm::record::budget_test {
namespace {

constexpr std::uint64_t kAttach = 1'000'000'000'000;
constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kKib = 1024;

class BudgetTest : public ::testing::Test {
 protected:
  Budget limited;
  void SetUp() override { limited.start(kHashDefault, kAttach, kNetNanoseconds); }
};

TEST_F(BudgetTest, TheAdvanceIsTheShareOfTheFirstBytes) {
  EXPECT_EQ(limited.advance(), kAdvancedFor / 100 * 3 + kAdvancedFor % 100 * 3 / 100);
  limited.start(1'000'000, kAttach, kNetNanoseconds);
  EXPECT_EQ(limited.advance(), kAdvancedFor);
}

TEST_F(BudgetTest, TimesApartKeepToTheShare) {
  EXPECT_EQ(limited.times_apart(8 * kKib, 8 * kKib), 64U) << "1.6 %; each 32nd would be 3.1 %";
  EXPECT_EQ(limited.times_apart(256 * kKib, 1024 * kKib), 16U);
  EXPECT_EQ(limited.times_apart(256 * kKib, 8'000'000), 2U);
  EXPECT_EQ(limited.times_apart(256 * kKib, 9'000'000), 1U);
  EXPECT_EQ(limited.times_apart(256 * kKib, std::uint64_t{1} << 44U), 1U);
  limited.start(1'000'000, kAttach, kNetNanoseconds);
  EXPECT_EQ(limited.times_apart(8 * kKib, 8 * kKib), 1U);
  limited.start(1, kAttach, kNetNanoseconds);
  EXPECT_EQ(limited.times_apart(1, 1), 1U << 20U);
}

TEST_F(BudgetTest, TheNetIsATimeAndThenAShareOfTheTime) {
  EXPECT_TRUE(limited.lasts(kAttach, kSecond / 2));
  EXPECT_FALSE(limited.lasts(kAttach, kSecond / 2 + 1));
  EXPECT_FALSE(limited.lasts(kAttach - 1, kSecond)) << "before the attach is no eternity after it";
  EXPECT_TRUE(limited.lasts(kAttach + 100 * kSecond, 15 * kSecond));
  EXPECT_FALSE(limited.lasts(kAttach + 100 * kSecond, 15 * kSecond + 1));
}

TEST_F(BudgetTest, YearsDoNotOverflow) {
  const std::uint64_t year = std::uint64_t{365} * 86400 * kSecond;
  EXPECT_TRUE(limited.lasts(kAttach + 5 * year, 5 * year / 100 * 15));
  EXPECT_FALSE(limited.lasts(kAttach + 5 * year, 5 * year / 100 * 15 + kSecond));
}

TEST_F(BudgetTest, NothingAndEverything) {
  limited.start(kHashNothing, kAttach, kNetNanoseconds);
  EXPECT_TRUE(limited.off());
  limited.start(kHashEverything, kAttach, kNetNanoseconds);
  EXPECT_TRUE(limited.unlimited());
  EXPECT_TRUE(limited.lasts(kAttach, 1000 * kSecond));
}

}  // namespace
}  // namespace ompdm::record::budget_test
