#include "analysis/repeats.h"

#include <gtest/gtest.h>

#include <bit>
#include <string>

namespace ompdm::analysis {
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
  EXPECT_EQ(loops[0].passes, 5U);
  EXPECT_EQ(loops[0].entries, 1U);
  EXPECT_EQ(loops[0].total.htod_bytes, 5U);
  EXPECT_EQ(loops[0].first.htod_bytes, 1U);
  EXPECT_EQ(loops[0].first.wall, 20);
  EXPECT_EQ(loops[0].total.wall, 90);  // the last pass ends with its step
}

TEST(Repeats, AGroupBetweenPrologueAndEpilogue) {
  const auto loops = loops_in("xyz abc abc abc abc vw");
  ASSERT_EQ(loops.size(), 1U);
  EXPECT_EQ(letters(loops[0]), "abc");
  EXPECT_EQ(loops[0].passes, 4U);
  EXPECT_EQ(loops[0].total.htod_bytes, 12U);
  EXPECT_EQ(loops[0].first.htod_bytes, 3U);
  EXPECT_EQ(loops[0].first.wall, 60);
  EXPECT_EQ(loops[0].begin, 60);
}

TEST(Repeats, AGroupThatNamesASiteTwice) {
  const auto loops = loops_in("abac abac abac");
  ASSERT_EQ(loops.size(), 1U);
  EXPECT_EQ(letters(loops[0]), "abc");
  EXPECT_EQ(loops[0].passes, 3U);
}

TEST(Repeats, InnerLoopsOfAnyLength) {
  const auto loops = loops_in("x aaab aab aaaab y");
  ASSERT_EQ(loops.size(), 2U);
  EXPECT_EQ(letters(loops[0]), "a");
  EXPECT_EQ(loops[0].passes, 9U);
  EXPECT_EQ(loops[0].entries, 3U);
  EXPECT_EQ(letters(loops[1]), "ab");
  EXPECT_EQ(loops[1].passes, 3U);
  EXPECT_EQ(loops[1].total.htod_bytes, 12U);
}

TEST(Repeats, AnInnerLoopAtTheEndOfThePass) {
  const auto loops = loops_in("baaa baaa baaa");
  ASSERT_EQ(loops.size(), 2U);
  EXPECT_EQ(letters(loops[0]), "ba");
  EXPECT_EQ(loops[0].passes, 3U);
  EXPECT_EQ(loops[0].total.htod_bytes, 12U);
  EXPECT_EQ(loops[0].total.wall, 230);
  EXPECT_EQ(letters(loops[1]), "a");
  EXPECT_EQ(loops[1].passes, 9U);
  EXPECT_EQ(loops[1].entries, 3U);
}

TEST(Repeats, AnInnerGroupAtTheEndOfThePass) {
  const auto loops = loops_in("x cabababab cabab cabababab y");
  ASSERT_EQ(loops.size(), 2U);
  EXPECT_EQ(letters(loops[0]), "cab");
  EXPECT_EQ(loops[0].passes, 3U);
  EXPECT_EQ(loops[0].total.htod_bytes, 23U);
  EXPECT_EQ(letters(loops[1]), "ab");
  EXPECT_EQ(loops[1].passes, 10U);
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
  EXPECT_EQ(loops[0].passes, 5U);
  EXPECT_EQ(loops[1].passes, 20U);
  EXPECT_EQ(loops[2].passes, 60U);
}

TEST(Repeats, SequencesDoNotMixButEqualLoopsAreOne) {
  const auto loops = loops_in("aba|bab|cdcdcd|cdcd");
  ASSERT_EQ(loops.size(), 1U);
  EXPECT_EQ(letters(loops[0]), "cd");
  EXPECT_EQ(loops[0].passes, 5U);
  EXPECT_EQ(loops[0].entries, 2U);
}

TEST(Repeats, LongPeriods) {
  std::string pass;
  for (int i = 0; i < 500; ++i) {
    // A word without repeated neighbours: a de Bruijn-like walk by a multiplier.
    pass += static_cast<char>('a' + (i * i * 7 + i / 26) % 26);
    pass += static_cast<char>('a' + (i / 20));
  }
  std::string word;
  for (int i = 0; i < 6; ++i) word += pass;
  std::uint64_t most = 0;
  for (const Loop& loop : loops_in(word)) {
    if (loop.total.htod_bytes == word.size()) most = loop.passes;
  }
  EXPECT_EQ(most, 6U);
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
}  // namespace ompdm::analysis
