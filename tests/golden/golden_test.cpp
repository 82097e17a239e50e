// Each folder beside this file is a scene: its traces are read and reported, and the text must be
// what lies there.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "goldens.h"

namespace ompdm::golden_test {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> scene_names() {
  std::vector<std::string> names;
  for (const test::Scene& scene : test::scenes()) names.push_back(scene.name);
  return names;
}

void expect_as_they_lie(const std::vector<test::Golden>& goldens) {
  for (const test::Golden& golden : goldens) {
    std::ifstream file(golden.file, std::ios::binary);
    EXPECT_EQ(golden.text, std::string(std::istreambuf_iterator<char>(file), {})) << golden.file;
  }
}

class Golden : public testing::TestWithParam<std::string> {};

TEST_P(Golden, ReportIsWhatLiesBesideTheTrace) {
  const fs::path folder = fs::path(OMPDM_GOLDEN_DIR) / GetParam();
  ASSERT_TRUE(fs::exists(folder / "report.txt"));
  expect_as_they_lie(test::goldens_of(folder));
}

class GoldenComparison : public testing::TestWithParam<test::SceneComparison> {};

TEST_P(GoldenComparison, IsWhatLiesInItsFolder) {
  expect_as_they_lie(test::goldens_of(OMPDM_GOLDEN_DIR, GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Comparisons, GoldenComparison, testing::ValuesIn(test::comparisons()),
                         [](const auto& pair) { return pair.param.name; });

INSTANTIATE_TEST_SUITE_P(Scenes, Golden, testing::ValuesIn(scene_names()),
                         [](const auto& scene) { return scene.param; });

}  // namespace
}  // namespace ompdm::golden_test
