// mapper_walk: many components, few bytes; and what must keep it silent.
#include <gtest/gtest.h>

#include "analysis/found.h"
#include "analysis/one_array.h"
#include "ompdm/report.h"

namespace ompdm::analysis::mapper_walk_test {
namespace {

using test::contains;
using test::found;
using test::OneArray;

/// Kernels whose map(tofrom: a) goes through a mapper, and moves this much of it.
Analysis walked(int launches, std::uint32_t components, std::uint64_t bytes) {
  OneArray program;
  program.trace.map_lists[1][0].by_mapper = true;
  program.map();
  for (int i = 0; i < launches; ++i) {
    program.begin(program.solve);
    program.trace.regions.edit_back()->map_list = 1;
    program.trace.regions.edit_back()->components = components;
    program.wait(9'000);
    if (bytes > 0) program.move(OpKind::kHtoD, 0, bytes);
    program.launch(900);
    program.end();
  }
  program.unmap();
  return analyze(program.take());
}

TEST(MapperWalk, OfWhatIsThereIsTold) {
  const std::vector<Finding> findings = found(walked(2, 3000, 0), "mapper_walk");
  ASSERT_EQ(findings.size(), 1U);
  const Finding& finding = findings[0];
  EXPECT_EQ(finding.line, 30);
  EXPECT_EQ(finding.variable, "a");
  EXPECT_EQ(finding.count, 6002U) << "the item is one itself";
  EXPECT_EQ(finding.wasted_bytes, 0U);
  EXPECT_EQ(finding.wasted_time, 2 * 9'000);
  EXPECT_EQ(finding.confidence, Confidence::kCertain);
  EXPECT_EQ(finding.of, 2U);
  const auto& facts = std::get<facts::MapperWalk>(finding.facts);
  EXPECT_EQ(facts.most, 3001U);
  EXPECT_EQ(facts.wall, 19'800);
  EXPECT_TRUE(facts.was_there);
  EXPECT_TRUE(finding.edits.empty());
}

TEST(MapperWalk, OfFewComponentsAtATimeIsClean) {
  EXPECT_TRUE(found(walked(1000, 200, 0), "mapper_walk").empty());
}

TEST(MapperWalk, OfFewInAllIsClean) {
  EXPECT_TRUE(found(walked(2, 2000, 0), "mapper_walk").empty());
  EXPECT_TRUE(found(walked(1, 16'000, 0), "mapper_walk").empty()) << "data has to come over once";
}

TEST(MapperWalk, OnceOfVeryManyIsToKeepThemInOneArray) {
  const std::vector<Finding> findings = found(walked(1, 20'000, 0), "mapper_walk");
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].of, 1U);
  EXPECT_TRUE(contains(report::advice_text(findings[0]),
                       "for a, keep the data of the structs in one array"));
}

TEST(MapperWalk, ThatMovesTheBytesOfItsComponentsIsClean) {
  EXPECT_TRUE(found(walked(2, 3000, OneArray::kBytes), "mapper_walk").empty());
  EXPECT_FALSE(found(walked(2, 5000, OneArray::kBytes), "mapper_walk").empty());
}

// Its transfers are part of the walk: no other finding tells them as small ones.
TEST(MapperWalk, TakesItsSmallTransfersWithIt) {
  const Analysis analysis = walked(40, 3000, 16);
  EXPECT_EQ(found(analysis, "mapper_walk").size(), 1U);
  EXPECT_TRUE(found(analysis, "small_transfers").empty());
  ASSERT_TRUE(analysis.prediction.has_value());
  EXPECT_EQ(analysis.prediction->spared_bytes, 0U) << "they could be fewer, and the bytes stay";
  EXPECT_EQ(analysis.prediction->spared_transfers, 0U);
}

TEST(MapperWalk, OfALongListOfItemsIsTold) {
  OneArray program;
  program.trace.map_lists[0].resize(1000, program.trace.map_lists[0][0]);
  program.map();
  for (int i = 0; i < 5; ++i) {
    program.begin(program.solve);
    program.trace.regions.edit_back()->map_list = 0;
    program.launch(900);
    program.move(OpKind::kDtoH, 0, 16);
    program.end();
  }
  const std::vector<Finding> findings = found(analyze(program.take()), "mapper_walk");
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].count, 5000U);
  const auto& facts = std::get<facts::MapperWalk>(findings[0].facts);
  EXPECT_EQ(facts.bytes, 80U);
  EXPECT_EQ(facts.transfers, 5U);
  EXPECT_TRUE(facts.names.empty()) << "no mapper made these";
}

// The recorder tells the first items of a list.
TEST(MapperWalk, OfAListThatWasCutIsAtLeastThat) {
  const auto facts_of = [](std::size_t items) {
    OneArray program;
    program.trace.map_lists[0].resize(items, program.trace.map_lists[0][0]);
    program.map();
    for (int i = 0; i < 5; ++i) {
      program.begin(program.solve);
      program.trace.regions.edit_back()->map_list = 0;
      program.launch(900);
      program.end();
    }
    return std::get<facts::MapperWalk>(found(analyze(program.take()), "mapper_walk").at(0).facts);
  };
  EXPECT_FALSE(facts_of(1399).at_least);
  EXPECT_TRUE(facts_of(1400).at_least);
  EXPECT_EQ(facts_of(1400).most, 1400U);
}

// Enqueued copies end later: what the host waited for is not known.
TEST(MapperWalk, OnAnAsynchronousDeviceTellsNoTime) {
  OneArray program;
  program.clock = Clock::kEnqueue;
  program.map();
  for (int i = 0; i < 2; ++i) {
    program.begin(program.solve);
    program.trace.regions.edit_back()->components = 3000;
    program.wait(9'000);
    program.launch(900);
    program.end();
  }
  const std::vector<Finding> findings = found(analyze(program.take()), "mapper_walk");
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_FALSE(findings[0].timed);
  EXPECT_EQ(findings[0].wasted_time, 0);
}

}  // namespace
}  // namespace ompdm::analysis::mapper_walk_test
