// What runs by turns say of a program's time, and what is said of a long wait.
#include <gtest/gtest.h>

#include "fix/steps.h"
#include "fix/times.h"

namespace ompdm::cli::fix_times_test {
namespace {

using std::chrono::milliseconds;

Times times_of(const std::vector<std::pair<int, int>>& turns) {
  Times times;
  for (const auto& [before, after] : turns) times.add(milliseconds(before), milliseconds(after));
  return times;
}

TEST(Times, AreThoseOfRunsInTheMiddle) {
  const Times times = times_of({{152, 70}, {900, 71}, {150, 69}});
  EXPECT_TRUE(times.is_faster());
  EXPECT_FALSE(times.is_slower());
  EXPECT_EQ(times.sentence(), "the run takes 70.0 ms instead of 152 ms");
}

// The shortest run of each would say that it takes longer.
TEST(Times, OfRunsThatDifferSayNothing) {
  const Times times = times_of({{54, 88}, {90, 89}, {95, 91}});
  EXPECT_FALSE(times.is_faster());
  EXPECT_FALSE(times.is_slower());
  EXPECT_EQ(times.sentence(), "no difference in time (runs of 54.0 ms to 95.0 ms)");
}

TEST(Times, ThatAreLongerEachTimeAreSlower) {
  const Times times = times_of({{100, 120}, {101, 121}, {99, 119}});
  EXPECT_TRUE(times.is_slower());
  EXPECT_EQ(times.figures(), "120 ms instead of 100 ms");
}

// Where the program's memory lies may cost as much.
TEST(Times, ThatAreLittleLongerAreNotSlower) {
  EXPECT_FALSE(times_of({{100, 103}, {101, 104}, {99, 102}}).is_slower());
}

std::string said(std::size_t runs, std::chrono::seconds each) {
  ::testing::internal::CaptureStderr();
  Steps steps;
  steps.expect(runs, each);
  steps.begin("building finding 1");
  return ::testing::internal::GetCapturedStderr();
}

TEST(Steps, SayHowLongTheyTakeWhereThatIsLong) {
  EXPECT_EQ(said(18, std::chrono::seconds(21)),
            "ompdm: about 18 more runs of 21.0 s, 6 min and the builds: --run names a smaller "
            "input\nompdm: building finding 1\n");
  EXPECT_EQ(said(7, std::chrono::seconds(1)), "");
}

}  // namespace
}  // namespace ompdm::cli::fix_times_test
