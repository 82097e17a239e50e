// The very case that ompdm is for, as courses have it: several solves, each with arrays of its own.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "advice.h"
#include "recorded.h"

namespace ompdm::e2e::course_test {
namespace {

constexpr std::uint64_t kGrid = 300 * 300 * 8;
constexpr std::uint64_t kSteps = 60;

int line_of(const std::string& mark) { return marked_line("course_heat.cpp", mark); }

class CourseHeat : public ::testing::TestWithParam<int> {};

// One finding with at least 97 of 100 needless bytes, and its edits in the solver around its loop.
TEST_P(CourseHeat, IsOneFindingAroundTheLoopOfTheSolver) {
  const auto solves = static_cast<std::uint64_t>(GetParam());
  const Json report = record({{program("course_heat"), "naive", std::to_string(solves)}}).report;
  ASSERT_EQ(report["findings"].size(), 1U) << report["findings"];
  const Json& finding = report["findings"][0];
  EXPECT_EQ(finding["pattern"], "per_iteration_mapping");
  EXPECT_EQ(finding["confidence"], "likely") << finding["evidence"];
  const std::uint64_t needed = solves * 3 * kGrid;
  const std::uint64_t needless = solves * kSteps * 3 * kGrid - needed;
  EXPECT_GE(finding["wasted_bytes"].get<std::uint64_t>() * 100, needless * 97);
  EXPECT_EQ(finding["memory_bytes"], 2 * kGrid);
  const Json& enter = finding["edits"][0];
  EXPECT_EQ(enter["directive"], "target enter data");
  EXPECT_EQ(enter["of"], "loop");
  EXPECT_EQ(enter["places"][0]["line"], line_of("steps"));
  const std::string function = enter["places"][0]["function"];
  EXPECT_NE(function.find("solve"), std::string::npos) << function;
}

// Its sends are equal, since its solves are: their arrays are made again all the same.
TEST_P(CourseHeat, HasNothingToSayOfTheModelSolution) {
  const std::string solves = std::to_string(GetParam());
  const Json report = record({{program("course_heat"), "model", solves}}).report;
  for (const Json& finding : report["findings"]) EXPECT_EQ(finding["confidence"], "possible");
  EXPECT_EQ(report["findings"].empty(), GetParam() <= 3) << report["findings"];
}

TEST(CourseHeatInside, IsToldToMakeOnceWhatTheLoopMakes) {
  const Json report = record({{program("course_heat"), "inside", "1"}}).report;
  ASSERT_EQ(report["findings"].size(), 1U) << report["findings"];
  const Json& finding = report["findings"][0];
  EXPECT_EQ(finding["confidence"], "possible");
  EXPECT_TRUE(finding["edits"].empty()) << finding["edits"];
  const std::string once =
      "map the data that values points to around the loop at course_heat.cpp:" +
      std::to_string(line_of("made"));
  EXPECT_TRUE(finding["advice"].get<std::string>().starts_with(once)) << finding["advice"];
}

// Nothing recorded tells how often the outer loop enters the inner one.
TEST(CourseHeatRows, AreKeptAroundTheLoopThatHoldsNothingElse) {
  const Json report = record({{program("course_heat"), "rows", "1"}}).report;
  ASSERT_EQ(report["findings"].size(), 1U) << report["findings"];
  const Json& enter = report["findings"][0]["edits"][0];
  EXPECT_EQ(enter["directive"], "target enter data");
  EXPECT_EQ(enter["places"][0]["line"], line_of("sweeps")) << report["findings"];
  EXPECT_EQ(report["findings"][0]["wasted_bytes"], (40 - 4) * 300 * 8);
}

// Which names the loop's place has the trace does not tell; the directives that stay are their own.
TEST(EditsInScope, AreThoseOfADirectiveThatNamesTheDataSo) {
  const Json report = record({{kernel("heat"), "--variant", "naive", "60"}}).report;
  for (const Json& edit : report["findings"][0]["edits"]) {
    EXPECT_EQ(edit["in_scope"], edit["kind"] == "keep") << edit;
    const bool is_inserted = edit["kind"] == "insert";
    EXPECT_TRUE(!is_inserted || edit["pragmas"].empty()) << edit;
  }
}

INSTANTIATE_TEST_SUITE_P(Solves, CourseHeat, ::testing::Values(1, 3, 12));

}  // namespace
}  // namespace ompdm::e2e::course_test
