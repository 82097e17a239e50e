// partial_update: updates that the runtime carried out in part; and those that it did not.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analysis/found.h"
#include "analysis/one_array.h"

namespace ompdm::analysis::partial_update_test {
namespace {

using test::found;
using test::OneArray;

constexpr std::uint64_t kTo = 0x1;
constexpr std::uint64_t kWithGaps = 0x100000000000;

/// An update of one section of `a`, in pieces.
struct Updated : OneArray {
  Updated(const std::string& name, std::uint64_t bytes, std::uint64_t type) {
    const std::uint64_t host = trace.variables[0].address;
    trace.map_lists.push_back({{a, name, host, host, bytes, type}});
    map(1);
  }

  void update(int pieces, std::uint64_t bytes) {
    begin(to);
    trace.regions.edit_back()->map_list = static_cast<std::uint32_t>(trace.map_lists.size() - 1);
    for (int i = 0; i < pieces; ++i) {
      move(OpKind::kHtoD, 2, bytes);
      trace.ops.edit_back()->src += 800 * static_cast<std::uint64_t>(i);
      trace.ops.edit_back()->dst += 800 * static_cast<std::uint64_t>(i);
    }
    end();
    reader();
  }

  std::vector<Finding> partial() { return found(analyze(take()), "partial_update"); }
};

TEST(PartialUpdate, OfOneElementOfEachRow) {
  Updated program("a[0:10][0:50]", 4000, kTo | kWithGaps);
  for (int i = 0; i < 3; ++i) program.update(10, 8);
  const std::vector<Finding> findings = program.partial();
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].line, 20);
  EXPECT_EQ(findings[0].count, 3U);
  EXPECT_EQ(findings[0].variable, "a[0:10][0:50]");
  EXPECT_EQ(findings[0].confidence, Confidence::kCertain);
  const auto& facts = std::get<facts::PartialUpdate>(findings[0].facts);
  EXPECT_EQ(facts.moved, 240U);
  EXPECT_EQ(facts.named, 12'000U);
  EXPECT_FALSE(facts.in_steps);
}

TEST(PartialUpdate, OfAMemberMovesNothing) {
  Updated program("a.g[0:10][0:5]", 0, kTo | kWithGaps);
  program.update(1, 0);
  const std::vector<Finding> findings = program.partial();
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].count, 1U);
  EXPECT_EQ(std::get<facts::PartialUpdate>(findings[0].facts).moved, 0U);

  Updated unknown("a.g[0:n][0:n]", 0, kTo | kWithGaps);
  unknown.update(1, 0);
  EXPECT_TRUE(unknown.partial().empty()) << "n may be 0";
}

TEST(PartialUpdate, OfWhatIsThereMovesNothing) {
  Updated program("a[i:n][j:n]", 400, kTo | kWithGaps);
  program.update(0, 0);
  const std::vector<Finding> findings = program.partial();
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].count, 1U);
  EXPECT_EQ(std::get<facts::PartialUpdate>(findings[0].facts).moved, 0U);
}

TEST(PartialUpdate, ThatMovedAllOfItIsClean) {
  Updated program("a[0:10][0:50]", 4000, kTo | kWithGaps);
  program.update(10, 400);
  EXPECT_TRUE(program.partial().empty());
}

TEST(PartialUpdate, WhereOperationsWereLostIsNotJudged) {
  Updated program("a[0:10][0:50]", 4000, kTo | kWithGaps);
  program.update(10, 8);
  program.trace.losses = {{"records_no_space", 1}};
  EXPECT_TRUE(program.partial().empty());
}

TEST(PartialUpdate, OfWhatIsNotThereIsClean) {
  Updated program("a[0:10][0:50]", 4000, kTo | kWithGaps);
  program.unmap();
  program.wait(1);
  program.update(0, 0);
  EXPECT_TRUE(program.partial().empty());
}

// Extents that clang 19 does not iteration are whatever lies there.
TEST(PartialUpdate, OfMoreThanThereIsIsClean) {
  Updated program("a[0:n][0:n]", 100 * OneArray::kBytes, kTo | kWithGaps);
  program.update(10, 8);
  EXPECT_TRUE(program.partial().empty());
}

TEST(PartialUpdate, WithTheWholeBesideItIsClean) {
  Updated program("a[0:10][0:50]", 4000, kTo | kWithGaps);
  const MapItem& section = program.trace.map_lists.back()[0];
  MapItem whole = section;
  whole.name = "a";
  whole.bytes = OneArray::kBytes;
  whole.type = kTo;
  program.trace.map_lists.back().push_back(whole);
  program.update(10, 8);
  EXPECT_TRUE(program.partial().empty());
}

TEST(PartialUpdate, WithAStepMovesNeighbours) {
  Updated program("a[0:500:2]", 4000, kTo);
  program.update(1, 4000);
  const std::vector<Finding> findings = program.partial();
  ASSERT_EQ(findings.size(), 1U);
  const auto& facts = std::get<facts::PartialUpdate>(findings[0].facts);
  EXPECT_TRUE(facts.in_steps);
  EXPECT_EQ(facts.moved, 4000U);
}

// The length counts elements: this one overruns what is mapped, by a mistake of the program.
TEST(PartialUpdate, WithAStepThatLeadsBeyondWhatIsThereIsNoFaultOfTheRuntime) {
  Updated program("a[0:n:2]", OneArray::kBytes, kTo);
  program.update(1, OneArray::kBytes);
  EXPECT_TRUE(program.partial().empty());
  Updated half("a[0:n / 2:2]", OneArray::kBytes / 2, kTo);
  half.update(1, OneArray::kBytes / 2);
  EXPECT_EQ(half.partial().size(), 1U);
}

// Memory that was freed and allocated again may have another name in each region of one list.
TEST(PartialUpdate, OfStorageThatIsCalledOtherwiseMeanwhile) {
  Updated program("a[0:10][0:50]", 4000, kTo | kWithGaps);
  program.trace.map_lists.back()[0].variable = program.variable("b", OneArray::kBytes);
  program.update(10, 400);
  EXPECT_TRUE(program.partial().empty());
}

TEST(PartialUpdate, WithAStepOfOneOrOneThatIsNotKnownIsClean) {
  for (const char* name : {"a[0:500:1]", "a[0:500:step]", "a[0:500]", "a[b ? 0 : 2:500]"}) {
    Updated program(name, 4000, kTo);
    program.update(1, 4000);
    EXPECT_TRUE(program.partial().empty()) << name;
  }
}

// As LLVM 22 does it: each element for itself.
TEST(PartialUpdate, WithAStepElementByElementIsClean) {
  Updated program("a[0:500:2]", 4000, kTo);
  program.update(500, 8);
  EXPECT_TRUE(program.partial().empty());
}

}  // namespace
}  // namespace ompdm::analysis::partial_update_test
