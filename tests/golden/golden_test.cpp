// Each folder beside this file is a scene: its traces are read and reported, and the text must be
// what lies there.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <clocale>
#include <filesystem>
#include <fstream>
#include <locale>
#include <sstream>
#include <string>
#include <vector>

#include "ompdm/analysis.h"
#include "ompdm/comparison.h"
#include "ompdm/report.h"
#include "ompdm/trace_file.h"
#include "scenes.h"

namespace ompdm::golden_test {
namespace {

namespace fs = std::filesystem;
namespace report = ompdm::report;
namespace test = ompdm::test;

std::vector<std::string> scene_names() {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(OMPDM_GOLDEN_DIR)) {
    if (fs::exists(entry.path() / "report.txt")) names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The scene's traces, in order of name, called as they are in the folder.
std::vector<ompdm::Trace> read_scene(const fs::path& folder) {
  std::vector<fs::path> paths;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().filename().string().starts_with("trace")) paths.push_back(entry.path());
  }
  std::ranges::sort(paths);
  std::vector<ompdm::Trace> traces;
  for (const fs::path& path : paths) {
    traces.push_back(ompdm::read_trace(path));
    traces.back().file = path.filename().string();
  }
  return traces;
}

class Golden : public testing::TestWithParam<std::string> {};

TEST_P(Golden, ReportIsWhatLiesBesideTheTrace) {
  const fs::path folder = fs::path(OMPDM_GOLDEN_DIR) / GetParam();
  const std::vector<ompdm::Trace> traces = read_scene(folder);
  ASSERT_FALSE(traces.empty());
  std::vector<ompdm::analysis::Analysis> analyses;
  for (const ompdm::Trace& trace : traces) analyses.push_back(ompdm::analysis::analyze(trace));
  if (traces[0].file.starts_with("trace.run")) ompdm::analysis::agree(analyses);
  EXPECT_EQ(report::render(analyses, report::Format::kText), contents(folder / "report.txt"));
  EXPECT_EQ(report::render(analyses, report::Format::kJson), contents(folder / "report.json"));
  EXPECT_EQ(report::render(analyses, report::Format::kCsv), contents(folder / "report.csv"));
  EXPECT_EQ(report::render(analyses, report::Format::kMarkdown), contents(folder / "report.md"));
  if (fs::exists(folder / "paths.txt")) {
    EXPECT_EQ(report::render(analyses, report::Format::kText, {.paths = true}),
              contents(folder / "paths.txt"));
  }
  if (!fs::exists(folder / "gpu_trace.txt")) return;
  std::ostringstream list;
  report::render_gpu_trace(traces, report::Format::kText, {}, list);
  EXPECT_EQ(list.str(), contents(folder / "gpu_trace.txt"));
}

class GoldenComparison : public testing::TestWithParam<test::SceneComparison> {};

TEST_P(GoldenComparison, IsWhatLiesInItsFolder) {
  const fs::path folder = fs::path(OMPDM_GOLDEN_DIR) / GetParam().name;
  std::array<ompdm::analysis::Analysis, 2> sides;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    const std::string& scene = i == 0 ? GetParam().before : GetParam().after;
    const fs::path trace = fs::path(OMPDM_GOLDEN_DIR) / scene / "trace.json";
    sides[i] = ompdm::analysis::analyze(ompdm::read_trace(trace));
    sides[i].file = scene + "/trace.json";
  }
  const auto rendered = [&](report::Format format) {
    return report::render_comparison(sides, format);
  };
  EXPECT_EQ(rendered(report::Format::kText), contents(folder / "compare.txt"));
  EXPECT_EQ(rendered(report::Format::kJson), contents(folder / "compare.json"));
  EXPECT_EQ(rendered(report::Format::kCsv), contents(folder / "compare.csv"));
  EXPECT_EQ(rendered(report::Format::kMarkdown), contents(folder / "compare.md"));
}

INSTANTIATE_TEST_SUITE_P(Comparisons, GoldenComparison, testing::ValuesIn(test::comparisons()),
                         [](const auto& pair) { return pair.param.name; });

INSTANTIATE_TEST_SUITE_P(Scenes, Golden, testing::ValuesIn(scene_names()),
                         [](const auto& scene) { return scene.param; });

}  // namespace
}  // namespace ompdm::golden_test
