// What runs by turns say of a program's time, how many of them are made, and what is said of a long
// wait.
#include <gtest/gtest.h>

#include <functional>

#include "fix/times.h"
#include "fix/verification.h"

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

TEST(Times, OfFewRunsAreToldAndNotJudged) {
  for (const Times& longer : {times_of({{100, 900}}), times_of({{100, 900}, {100, 900}})}) {
    EXPECT_FALSE(longer.is_slower()) << longer.turns();
  }
  EXPECT_FALSE(times_of({{900, 100}, {900, 100}}).is_faster());
  EXPECT_EQ(times_of({{100, 120}}).sentence(),
            "the run takes 120 ms instead of 100 ms (1 run of each is too few to judge)");
  EXPECT_EQ(times_of({{152, 70}, {152, 70}}).sentence(),
            "the run takes 70.0 ms instead of 152 ms (2 runs of each are too few to judge)");
}

TEST(Times, ThatWereNotTakenSaySo) {
  EXPECT_EQ(Times().sentence(), "the time of the run was not compared");
}

using Turn = TimeComparison::Turn;

/// What turn number N, from 1 on, is to take.
using Turns = std::function<std::vector<Turn>(std::size_t)>;

Turns always(int before, int after) {
  return
      [=](std::size_t) { return std::vector<Turn>{{milliseconds(before), milliseconds(after)}}; };
}

/// After all turns that it needs.
TimeComparison compared(const TimeComparison::Asked& asked, const Turns& turns) {
  constexpr std::size_t kEndless = 100;
  TimeComparison comparison(asked);
  for (std::size_t turn = 1; turn <= kEndless && comparison.needs_more(); ++turn) {
    comparison.add(turns(turn));
  }
  return comparison;
}

std::size_t turns_of(const TimeComparison::Asked& asked, const Turns& turns) {
  return compared(asked, turns).together().turns();
}

TEST(TimeComparison, TakesThreeTurnsOfWhatIsNotSlower) {
  EXPECT_EQ(turns_of({}, always(100, 100)), 3);
  EXPECT_EQ(turns_of({}, always(100, 50)), 3);
}

TEST(TimeComparison, GoesOnWhileItSeemsSlower) {
  const TimeComparison comparison = compared({}, always(100, 120));
  EXPECT_EQ(comparison.together().turns(), 15);
  EXPECT_EQ(comparison.slower(), 0);
  EXPECT_EQ(comparison.of(0).figures(), "120 ms instead of 100 ms");
}

TEST(TimeComparison, EndsOnceItDoesNotSeemSlowerAnyMore) {
  const Turns turns = [](std::size_t turn) { return always(100, turn < 5 ? 120 : 90)(turn); };
  const TimeComparison comparison = compared({}, turns);
  EXPECT_EQ(comparison.together().turns(), 5);
  EXPECT_EQ(comparison.slower(), std::nullopt);
}

TEST(TimeComparison, TakesMoreTurnsForTheLastWord) {
  EXPECT_EQ(turns_of({.is_final = true}, always(100, 50)), 5) << "clearly faster";
  EXPECT_EQ(turns_of({.is_final = true}, always(100, 100)), 15) << "not clear";
}

TEST(TimeComparison, TakesNoFurtherTurnForTheLastWordAfterSoManySeconds) {
  EXPECT_EQ(turns_of({.is_final = true}, always(600, 600)), 5);
  EXPECT_EQ(turns_of({.is_final = true}, always(5000, 5000)), 3);
  EXPECT_EQ(turns_of({.is_final = true}, always(5000, 6000)), 15) << "it seems slower";
}

TEST(TimeComparison, NamesTheInputThatIsSlower) {
  const Turns turns = [](std::size_t) {
    return std::vector<Turn>{{milliseconds(900), milliseconds(100)},
                             {milliseconds(100), milliseconds(150)}};
  };
  const TimeComparison comparison = compared({.inputs = 2}, turns);
  EXPECT_EQ(comparison.slower(), 1);
  EXPECT_TRUE(comparison.together().is_faster());
  EXPECT_EQ(comparison.together().figures(), "250 ms instead of 1.00 s");
}

TEST(TimeComparison, TakesAsManyTurnsAsAreAskedFor) {
  for (const std::size_t asked : {0, 1, 2, 3, 7, 20}) {
    for (const bool is_final : {false, true}) {
      for (const int after : {50, 100, 120, 9000}) {
        EXPECT_EQ(turns_of({.turns = asked, .is_final = is_final}, always(100, after)), asked);
      }
    }
  }
}

TEST(TimeComparison, JudgesFromThreeTurnsOn) {
  EXPECT_EQ(compared({.turns = 2}, always(100, 900)).slower(), std::nullopt);
  EXPECT_EQ(compared({.turns = 3}, always(100, 900)).slower(), 0);
}

TEST(TimeComparison, TellsHowManyTurnsAreMadeInAnyCase) {
  EXPECT_EQ(TimeComparison::least({}), 3);
  EXPECT_EQ(TimeComparison::least(0), 0);
  EXPECT_EQ(TimeComparison::least(20), 20);
}

TEST(VerifiedHead, SaysThatTheTimeWasNotCompared) {
  Target target;
  target.commands = {{"./heat", "100"}};
  target.is_recorded_command = true;
  Measured measured;
  measured.before = {4'000'000, 40, 2};
  measured.after = {1'000'000, 3, 2};
  Together together;
  together.measured = measured;
  EXPECT_EQ(verified_head(target, together),
            "# Verified by ompdm on these inputs: built, run, the same output and exit status.\n"
            "#   ./heat 100\n"
            "# 3.00 MB of 4.00 MB are no longer transferred (3 instead of 40 transfers); the time "
            "of the run was not compared.\n");
}

std::string said(std::size_t runs, std::chrono::seconds each) {
  ::testing::internal::CaptureStderr();
  Steps steps;
  steps.expect(9);
  steps.begin("building the original");
  steps.expect_runs(runs, each);
  steps.begin("building finding 1");
  return ::testing::internal::GetCapturedStderr();
}

TEST(Steps, SayHowLongTheyTakeWhereThatIsLong) {
  EXPECT_EQ(said(18, std::chrono::seconds(21)),
            "ompdm: about 18 more runs of 21.0 s, 6 min and the builds: --run names a smaller "
            "input\nompdm: step 2 of 9: building finding 1\n");
  EXPECT_EQ(said(7, std::chrono::seconds(1)), "");
}

}  // namespace
}  // namespace ompdm::cli::fix_times_test
