// Loops of graphs drawn by hand.

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "machine_code/flow_graph.h"

namespace ompdm::trace::loop_nest_test {
namespace {

using Blocks = std::vector<std::uint32_t>;

Blocks after(const LoopNest& nest, std::uint32_t block, std::uint32_t loop) {
  const std::vector<bool> onward = nest.onward(block, loop);
  Blocks blocks;
  for (std::uint32_t i = 0; i < onward.size(); ++i) {
    if (onward[i]) blocks.push_back(i);
  }
  return blocks;
}

/// The blocks that lie in cycles which are no loops.
Blocks cycles(const LoopNest& nest, const BlockGraph& graph) {
  Blocks blocks;
  for (std::uint32_t i = 0; i < graph.size(); ++i) {
    if (nest.in_other_cycle(i)) blocks.push_back(i);
  }
  return blocks;
}

/// Whether an iteration may leave out the block.
bool skipped(const LoopNest& nest, std::uint32_t block, std::uint32_t loop) {
  std::vector<bool> marked(16);
  marked[block] = true;
  const std::vector<bool> until = nest.until(marked, loop);
  const std::vector<bool> since = nest.since(marked, loop);
  for (std::uint32_t i = 0; i < until.size(); ++i) {
    if (i != block && until[i] && since[i]) return true;
  }
  return false;
}

TEST(LoopNest, OfStraightCodeIsNone) {
  const BlockGraph graph = {{1}, {2}, {}};
  const LoopNest nest(graph);
  EXPECT_TRUE(nest.loops().empty());
  EXPECT_EQ(after(nest, 0, kNoLoop), (Blocks{1, 2}));
  EXPECT_FALSE(skipped(nest, 1, kNoLoop));
}

// for (...) { A; if (x) B; else C; D; }
TEST(LoopNest, BranchesOfALoopExcludeEachOther) {
  const BlockGraph graph = {{1}, {2, 3}, {4}, {4}, {1, 5}, {}};
  const LoopNest nest(graph);
  ASSERT_EQ(nest.loops().size(), 1U);
  EXPECT_EQ(nest.loops()[0].header, 1U);
  EXPECT_EQ(nest.loops()[0].latches, Blocks{4});
  EXPECT_EQ(nest.loops()[0].blocks, (Blocks{1, 2, 3, 4}));
  EXPECT_EQ(nest.innermost(3), 0U);
  EXPECT_EQ(nest.innermost(5), kNoLoop);
  EXPECT_EQ(after(nest, 2, 0), Blocks{4});
  EXPECT_EQ(after(nest, 4, 0), Blocks{});
  EXPECT_FALSE(skipped(nest, 1, 0));
  EXPECT_TRUE(skipped(nest, 2, 0));
  EXPECT_FALSE(skipped(nest, 4, 0));
}

// for (...) { A; for (...) B; C; }, the inner one left out if it has nothing to do.
TEST(LoopNest, InnerLoopsHaveParents) {
  const BlockGraph graph = {{1}, {2, 3}, {2, 3}, {1, 4}, {}};
  const LoopNest nest(graph);
  ASSERT_EQ(nest.loops().size(), 2U);
  EXPECT_EQ(nest.loops()[0].parent, kNoLoop);
  EXPECT_EQ(nest.loops()[1].parent, 0U);
  EXPECT_EQ(nest.innermost(2), 1U);
  EXPECT_EQ(nest.common(1, 0), 0U);
  EXPECT_EQ(nest.common(1, kNoLoop), kNoLoop);
  EXPECT_EQ(after(nest, 1, 0), (Blocks{2, 3}));
  EXPECT_EQ(after(nest, 2, 1), Blocks{});
  EXPECT_TRUE(skipped(nest, 2, 0));
}

TEST(LoopNest, LoopsBesideEachOtherHaveNothingInCommon) {
  const BlockGraph graph = {{1}, {1, 2}, {2, 3}, {}};
  const LoopNest nest(graph);
  ASSERT_EQ(nest.loops().size(), 2U);
  EXPECT_EQ(nest.common(0, 1), kNoLoop);
  EXPECT_EQ(after(nest, 1, kNoLoop), (Blocks{1, 2, 3}));
  EXPECT_EQ(after(nest, 2, kNoLoop), (Blocks{2, 3}));
}

TEST(LoopNest, ContinueIsOneMoreWayBack) {
  const BlockGraph graph = {{1}, {2, 3}, {1}, {1, 4}, {}};
  const LoopNest nest(graph);
  ASSERT_EQ(nest.loops().size(), 1U);
  EXPECT_EQ(nest.loops()[0].latches.size(), 2U);
  EXPECT_TRUE(skipped(nest, 3, 0));
}

TEST(LoopNest, ACycleWithTwoEntriesIsNoLoop) {
  const BlockGraph graph = {{1, 2}, {2}, {1}};
  const LoopNest nest(graph);
  EXPECT_TRUE(nest.loops().empty());
  EXPECT_EQ(cycles(nest, graph), (Blocks{1, 2}));
}

// for (...) { A; a cycle of 3 and 4 that is entered at both; for (...) B; } for (...) C;
TEST(LoopNest, OfOtherCyclesTheLoopsAroundAndBesideThemAreLoops) {
  const BlockGraph graph = {{1}, {2, 3, 4}, {3}, {4}, {3, 5}, {5, 6}, {1, 7}, {7, 8}, {}};
  const LoopNest nest(graph);
  ASSERT_EQ(nest.loops().size(), 3U);
  EXPECT_EQ(nest.loops()[0].blocks, (Blocks{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(nest.innermost(5), 1U);
  EXPECT_EQ(nest.innermost(7), 2U);
  EXPECT_EQ(cycles(nest, graph), (Blocks{3, 4}));
}

// A loop of 2 alone, in a cycle of 1, 2 and 3 that is entered at 1 and at 3.
TEST(LoopNest, OfOtherCyclesTheLoopsWithinAreLoops) {
  const BlockGraph graph = {{1, 3}, {2}, {2, 3}, {1, 4}, {}};
  const LoopNest nest(graph);
  ASSERT_EQ(nest.loops().size(), 1U);
  EXPECT_EQ(nest.loops()[0].blocks, Blocks{2});
  EXPECT_EQ(cycles(nest, graph), (Blocks{1, 3}));
}

TEST(LoopNest, KnowsWhatNothingLeadsTo) {
  const BlockGraph graph = {{1}, {}, {1}};
  const LoopNest nest(graph);
  EXPECT_TRUE(nest.reached(1));
  EXPECT_FALSE(nest.reached(2));
}

// A function without return is left by no path.
TEST(LoopNest, OfAnEndlessLoopEachPassCounts) {
  const BlockGraph graph = {{1}, {2}, {1}};
  const LoopNest nest(graph);
  EXPECT_FALSE(skipped(nest, 2, 0));
}

}  // namespace
}  // namespace ompdm::trace::loop_nest_test
