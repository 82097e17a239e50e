// What moves piece by piece is told, and once the advice is followed nothing is.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "advice.h"
#include "recorded.h"

namespace ompdm::e2e::pieces_test {
namespace {

int line_of(const std::string& mark) { return marked_line("pieces.cpp", mark); }

struct Pieces {
  std::string printed;
  std::vector<Json> findings;  ///< of the pattern
};

Pieces pieces(const std::string& what, int n, const std::string& pattern) {
  const Recorded recorded = record({{program("pieces"), what, std::to_string(n)}});
  Pieces pieces{recorded.ended.out, {}};
  for (const Json& finding : recorded.report["findings"]) {
    if (finding["pattern"] == pattern) pieces.findings.push_back(finding);
  }
  return pieces;
}

TEST(Pieces, OfAMapperAreWalkedByEachLaunch) {
  constexpr int kNodes = 400;
  constexpr int kSteps = 5;
  constexpr int kComponents = 3;  // the struct, itself once more, what it points to
  const Pieces walked = pieces("walked", kNodes, "mapper_walk");
  ASSERT_EQ(walked.findings.size(), 1U);
  const Json& finding = walked.findings[0];
  EXPECT_EQ(finding["line"], line_of("walked"));
  EXPECT_EQ(finding["variable"], "v[0:nodes]");
  EXPECT_EQ(finding["confidence"], "certain");
  EXPECT_EQ(finding["coverage"]["of"], kSteps);
  const auto count = finding["count"].get<int>();
  const int there_and_back = 2 * kSteps * kComponents * kNodes;
  EXPECT_GE(count, there_and_back);
  EXPECT_LT(count, there_and_back + 2 * kSteps * kNodes);

  const Pieces there = pieces("found_there", kNodes, "mapper_walk");
  EXPECT_EQ(there.printed, walked.printed);
  EXPECT_TRUE(there.findings.empty()) << there.findings[0];
  EXPECT_TRUE(pieces("walked", 20, "mapper_walk").findings.empty()) << "not many components";
}

TEST(Pieces, OfALaunchAreItsArguments) {
  const Pieces scaled = pieces("scaled", 20'000, "mapped_scalars");
  ASSERT_EQ(scaled.findings.size(), 1U) << "one loop";
  const Json& finding = scaled.findings[0];
  EXPECT_EQ(finding["line"], line_of("scaled"));
  EXPECT_EQ(finding["count"], 3 * 50);
  EXPECT_EQ(finding["wasted_bytes"], 0) << "the launch brings them";
  EXPECT_EQ(finding["confidence"], "likely");
  EXPECT_TRUE(finding["edits"].empty()) << "a reduction's variable cannot be firstprivate";
  const std::string advice = finding["advice"];
  EXPECT_NE(advice.find("leave now its map(tofrom: ...)"), std::string::npos) << advice;

  const Pieces arguments = pieces("scaled_by_arguments", 20'000, "mapped_scalars");
  EXPECT_EQ(arguments.printed, scaled.printed);
  EXPECT_TRUE(arguments.findings.empty());
}

TEST(Pieces, OfARectangleDidNotAllCross) {
  const Pieces rectangle = pieces("rectangle", 0, "partial_update");
  if (rectangle.printed == "500\n") GTEST_SKIP() << "this runtime moves all of it";
  ASSERT_EQ(rectangle.findings.size(), 1U);
  const Json& finding = rectangle.findings[0];
  EXPECT_EQ(rectangle.printed, "10\n") << "one element of each row";
  EXPECT_EQ(finding["line"], line_of("rectangle"));
  EXPECT_EQ(finding["confidence"], "certain");
  const std::string evidence = finding["evidence"];
  EXPECT_NE(evidence.find("moved 80 B of 4.00 KB"), std::string::npos) << evidence;

  const Pieces by_rows = pieces("rectangle_by_rows", 0, "partial_update");
  EXPECT_EQ(by_rows.printed, "500\n");
  EXPECT_TRUE(by_rows.findings.empty());
}

}  // namespace
}  // namespace ompdm::e2e::pieces_test
