#include "analysis/repeats.h"

#include <gtest/gtest.h>

#include <bit>
#include <string>
#include <vector>

namespace ompdm::analysis::repeats_test {
namespace {

/// Loops in a word; a letter is a symbol that takes 10 ns, of which each costs 1 byte to the
/// device, 10 ns apart.
std::vector<Loop> loops_in(const std::string& word) {
  LoopFinder finder(26);
  Nanoseconds now = 0;
  for (const char letter : word) {
    if (letter == ' ') continue;
    if (letter == '|') {
      finder.end_sequence();
      continue;
    }
    Step step;
    step.symbol = static_cast<std::uint32_t>(letter - 'a');
    step.begin = now;
    step.end = now + 10;
    step.cost.htod_bytes = 1;
    finder.append(step);
    now += 20;
  }
  return finder.loops();
}

std::string letters(const Loop& loop) {
  std::string text;
  for (const std::uint32_t symbol : loop.symbols) text += static_cast<char>('a' + symbol);
  return text;
}

TEST(Repeats, NothingRepeatsNothing) {
  EXPECT_TRUE(loops_in("").empty());
  EXPECT_TRUE(loops_in("a").empty());
  EXPECT_TRUE(loops_in("abcdefg").empty());
  EXPECT_TRUE(loops_in("abcbdbe").empty());
}

TEST(Repeats, OneSite) {
  const auto loops = loops_in("aaaaa");
  ASSERT_EQ(loops.size(), 1U);
  EXPECT_EQ(loops[0].iterations, 5U);
  EXPECT_EQ(loops[0].entries, 1U);
  EXPECT_EQ(loops[0].total.htod_bytes, 5U);
  EXPECT_EQ(loops[0].first.htod_bytes, 1U);
  EXPECT_EQ(loops[0].first.wall, 20);
  EXPECT_EQ(loops[0].total.wall, 90);  // the last iteration ends with its step
}

TEST(Repeats, AGroupBetweenPrologueAndEpilogue) {
  const auto loops = loops_in("xyz abc abc abc abc vw");
  ASSERT_EQ(loops.size(), 1U);
  EXPECT_EQ(letters(loops[0]), "abc");
  EXPECT_EQ(loops[0].iterations, 4U);
  EXPECT_EQ(loops[0].total.htod_bytes, 12U);
  EXPECT_EQ(loops[0].first.htod_bytes, 3U);
  EXPECT_EQ(loops[0].first.wall, 60);
  EXPECT_EQ(loops[0].begin, 60);
}

TEST(Repeats, AGroupThatNamesASiteTwice) {
  const auto loops = loops_in("abac abac abac");
  ASSERT_EQ(loops.size(), 1U);
  EXPECT_EQ(letters(loops[0]), "abc");
  EXPECT_EQ(loops[0].iterations, 3U);
}

TEST(Repeats, InnerLoopsOfAnyLength) {
  const auto loops = loops_in("x aaab aab aaaab y");
  ASSERT_EQ(loops.size(), 2U);
  EXPECT_EQ(letters(loops[0]), "a");
  EXPECT_EQ(loops[0].iterations, 9U);
  EXPECT_EQ(loops[0].entries, 3U);
  EXPECT_EQ(letters(loops[1]), "ab");
  EXPECT_EQ(loops[1].iterations, 3U);
  EXPECT_EQ(loops[1].total.htod_bytes, 12U);
}

TEST(Repeats, AnInnerLoopAtTheEndOfTheIteration) {
  const auto loops = loops_in("baaa baaa baaa");
  ASSERT_EQ(loops.size(), 2U);
  EXPECT_EQ(letters(loops[0]), "ba");
  EXPECT_EQ(loops[0].iterations, 3U);
  EXPECT_EQ(loops[0].total.htod_bytes, 12U);
  EXPECT_EQ(loops[0].total.wall, 230);
  EXPECT_EQ(letters(loops[1]), "a");
  EXPECT_EQ(loops[1].iterations, 9U);
  EXPECT_EQ(loops[1].entries, 3U);
}

TEST(Repeats, AnInnerGroupAtTheEndOfTheIteration) {
  const auto loops = loops_in("x cabababab cabab cabababab y");
  ASSERT_EQ(loops.size(), 2U);
  EXPECT_EQ(letters(loops[0]), "cab");
  EXPECT_EQ(loops[0].iterations, 3U);
  EXPECT_EQ(loops[0].total.htod_bytes, 23U);
  EXPECT_EQ(letters(loops[1]), "ab");
  EXPECT_EQ(loops[1].iterations, 10U);
  EXPECT_EQ(loops[1].entries, 3U);
}

TEST(Repeats, ThreeLevels) {
  std::string word;
  for (int i = 0; i < 5; ++i) {
    word += 'd';
    for (int j = 0; j < 4; ++j) word += "caaab";
  }
  const auto loops = loops_in(word);
  ASSERT_EQ(loops.size(), 3U);
  EXPECT_EQ(letters(loops[0]), "dcab");
  EXPECT_EQ(loops[0].iterations, 5U);
  EXPECT_EQ(loops[1].iterations, 20U);
  EXPECT_EQ(loops[2].iterations, 60U);
}

TEST(Repeats, SequencesDoNotMixButEqualLoopsAreOne) {
  const auto loops = loops_in("aba|bab|cdcdcd|cdcd");
  ASSERT_EQ(loops.size(), 1U);
  EXPECT_EQ(letters(loops[0]), "cd");
  EXPECT_EQ(loops[0].iterations, 5U);
  EXPECT_EQ(loops[0].entries, 2U);
}

/// The iterations of the loop over exactly these symbols; 0 if there is none.
std::uint64_t iterations_of(const std::vector<Loop>& loops, const std::string& symbols) {
  for (const Loop& loop : loops) {
    if (letters(loop) == symbols) return loop.iterations;
  }
  return 0;
}

std::string repeated(const std::string& word, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += word;
  return text;
}

TEST(Repeats, AProbeWithinEveryTenthIteration) {
  const auto loops = loops_in("x" + repeated(repeated("ab", 9) + "apb", 10) + "ab");
  ASSERT_EQ(loops.size(), 1U);
  EXPECT_EQ(letters(loops[0]), "ab");
  EXPECT_EQ(loops[0].iterations, 101U);
  EXPECT_EQ(loops[0].entries, 1U);
  EXPECT_EQ(loops[0].total.htod_bytes, 212U) << "what the probes cost is part of it";
  EXPECT_EQ(loops[0].total.wall, 211 * 20 + 10);
}

TEST(Repeats, AProbeBetweenIterationsIsALoopAround) {
  const auto loops = loops_in(repeated(repeated("ab", 10) + "p", 10));
  EXPECT_EQ(iterations_of(loops, "ab"), 100U);
  EXPECT_EQ(iterations_of(loops, "abp"), 10U);
  const auto single = loops_in(repeated(repeated("a", 10) + "p", 10));
  EXPECT_EQ(iterations_of(single, "a"), 100U);
  EXPECT_EQ(iterations_of(single, "ap"), 10U);
}

TEST(Repeats, AStepThatIsLeftOutAtTimes) {
  const auto loops =
      loops_in(repeated("abc", 5) + "ac" + repeated("abc", 7) + "bc" + repeated("abc", 2));
  std::string all;
  for (const Loop& loop : loops) all += letters(loop) + std::to_string(loop.iterations) + ' ';
  EXPECT_EQ(all, "abc16 ");
}

TEST(Repeats, IrregularProbes) {
  std::string word;
  std::uint32_t random = 1;
  for (int i = 0; i < 1000; ++i) {
    random = random * 1664525 + 1013904223;
    const bool probe = random >> 28 == 0;
    word += probe ? "abpc" : "abc";
  }
  // Where two probes meet, or in the end, an iteration may stand apart.
  EXPECT_GE(iterations_of(loops_in(word), "abc"), 950U);
}

TEST(Repeats, AnotherPhaseIsAnotherLoop) {
  const auto loops = loops_in(repeated("abc", 10) + repeated("ab", 10));
  ASSERT_EQ(loops.size(), 2U);
  EXPECT_EQ(iterations_of(loops, "abc"), 10U);
  EXPECT_EQ(iterations_of(loops, "ab"), 10U);
  const auto probed = loops_in(repeated("ab", 10) + repeated("apb", 10) + repeated("ab", 10));
  EXPECT_EQ(iterations_of(probed, "ab"), 20U);
  EXPECT_EQ(iterations_of(probed, "apb"), 10U);
}

TEST(Repeats, AnInnerGroupThatIsPassedOnceAtTimes) {
  const auto loops = loops_in(repeated("cababab", 4) + "cab" + repeated("cababab", 4));
  ASSERT_EQ(loops.size(), 2U);
  EXPECT_EQ(iterations_of(loops, "cab"), 9U);
  EXPECT_EQ(iterations_of(loops, "ab"), 25U);
  const auto middle = loops_in(repeated("cabababd", 4) + "cabd" + repeated("cababd", 4));
  EXPECT_EQ(iterations_of(middle, "cabd"), 9U);
  EXPECT_EQ(iterations_of(middle, "ab"), 21U);
}

TEST(Repeats, ASingleIterationOfALoopOfOtherThreads) {
  const auto loops = loops_in("ab|ababab|ab|a|abab");
  ASSERT_EQ(loops.size(), 1U);
  EXPECT_EQ(letters(loops[0]), "ab");
  EXPECT_EQ(loops[0].iterations, 7U);
  EXPECT_EQ(loops[0].entries, 4U);
  EXPECT_EQ(loops[0].total.htod_bytes, 14U);
  EXPECT_EQ(loops[0].first.htod_bytes, 2U);
  EXPECT_EQ(loops[0].begin, 0);
}

TEST(Repeats, LongPeriods) {
  std::string iteration;
  for (int i = 0; i < 500; ++i) {
    // A word without repeated neighbours: a de Bruijn-like walk by a multiplier.
    iteration += static_cast<char>('a' + (i * i * 7 + i / 26) % 26);
    iteration += static_cast<char>('a' + (i / 20));
  }
  std::string word;
  for (int i = 0; i < 6; ++i) word += iteration;
  std::uint64_t most = 0;
  for (const Loop& loop : loops_in(word)) {
    if (loop.total.htod_bytes == word.size()) most = loop.iterations;
  }
  EXPECT_EQ(most, 6U);
}

TEST(Repeats, AMillionStepsWithNoiseAreNoBurden) {
  LoopFinder finder(40);
  Step step;
  std::uint32_t random = 1;
  std::uint64_t iterations = 0;
  for (std::uint32_t i = 0; i < 1000000; ++i) {
    random = random * 1664525 + 1013904223;
    // Each iteration leaves out some of its 32 steps, and has others.
    const bool leaves_out = random >> 27 == 0;
    const bool adds = (random >> 20 & 31) == 0;
    if (i % 32 == 0) ++iterations;
    step.symbol = adds ? 32 + (random >> 16 & 7) : i % 32;
    if (!leaves_out) finder.append(step);
  }
  finder.end_sequence();
  EXPECT_GT(iterations, 31000U);
}

TEST(Repeats, AMillionStepsThatNeverRepeatAreNoBurden) {
  // Thue's ternary word: no two neighbouring parts of it are ever equal.
  LoopFinder finder(3);
  Step step;
  for (std::uint32_t i = 0; i < 1000000; ++i) {
    step.symbol = static_cast<std::uint32_t>(1 + std::popcount(i + 1) % 2 - std::popcount(i) % 2);
    finder.append(step);
  }
  EXPECT_TRUE(finder.loops().empty());
}

}  // namespace
}  // namespace ompdm::analysis::repeats_test
