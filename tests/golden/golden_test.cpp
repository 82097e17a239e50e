// Each folder beside this file is a scene: its traces are read and reported, and the text must be
// what lies there.
#include <gtest/gtest.h>

#include <algorithm>
#include <clocale>
#include <filesystem>
#include <fstream>
#include <locale>
#include <sstream>
#include <string>
#include <vector>

#include "ompdm/analysis.h"
#include "ompdm/report.h"
#include "ompdm/trace_file.h"

namespace {

namespace fs = std::filesystem;
namespace report = ompdm::report;

std::vector<std::string> scene_names() {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(OMPDM_GOLDEN_DIR)) {
    if (entry.is_directory()) names.push_back(entry.path().filename().string());
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
  EXPECT_EQ(report::render(analyses, report::Format::kText), contents(folder / "report.txt"));
  EXPECT_EQ(report::render(analyses, report::Format::kJson), contents(folder / "report.json"));
  EXPECT_EQ(report::render(analyses, report::Format::kCsv), contents(folder / "report.csv"));
  EXPECT_EQ(report::render(analyses, report::Format::kMarkdown), contents(folder / "report.md"));
  if (!fs::exists(folder / "gpu_trace.txt")) return;
  std::ostringstream list;
  report::render_gpu_trace(traces, report::Format::kText, {}, list);
  EXPECT_EQ(list.str(), contents(folder / "gpu_trace.txt"));
}

INSTANTIATE_TEST_SUITE_P(Scenes, Golden, testing::ValuesIn(scene_names()),
                         [](const auto& scene) { return scene.param; });

}  // namespace
