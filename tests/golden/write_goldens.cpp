// Writes tests/golden anew: `cmake --build build --target update_goldens`. Read the difference
// before committing it.
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "ompdm/analysis.h"
#include "ompdm/comparison.h"
#include "ompdm/report.h"
#include "ompdm/trace_file.h"
#include "scenes.h"

namespace {

void write(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

/// A file that was cut short has all but its closing line.
void cut_last_line(const std::filesystem::path& path) {
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 2);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 || !std::filesystem::is_directory(argv[1])) {
    std::fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
    return 2;
  }
  namespace report = ompdm::report;
  for (const ompdm::test::Scene& scene : ompdm::test::scenes()) {
    const std::filesystem::path folder = std::filesystem::path(argv[1]) / scene.name;
    std::filesystem::create_directories(folder);
    std::vector<ompdm::analysis::Analysis> analyses;
    std::vector<ompdm::Trace> traces = scene.traces;
    for (std::size_t i = 0; i < traces.size(); ++i) {
      const std::string name = traces.size() == 1 ? "trace.json"
                                                  : (scene.inputs ? "trace.run" : "trace.rank") +
                                                        std::to_string(i) + ".json";
      ompdm::write_trace(traces[i], folder / name);
      if (traces[i].truncated) cut_last_line(folder / name);
      traces[i].file = name;
      analyses.push_back(ompdm::analysis::analyze(traces[i]));
    }
    if (scene.inputs) ompdm::analysis::agree(analyses);
    write(folder / "report.txt", report::render(analyses, report::Format::kText));
    write(folder / "report.json", report::render(analyses, report::Format::kJson));
    write(folder / "report.csv", report::render(analyses, report::Format::kCsv));
    write(folder / "report.md", report::render(analyses, report::Format::kMarkdown));
    if (scene.paths) {
      write(folder / "paths.txt", report::render(analyses, report::Format::kText, {.paths = true}));
    }
    if (!scene.gpu_trace) continue;
    std::ostringstream list;
    report::render_gpu_trace(traces, report::Format::kText, {}, list);
    write(folder / "gpu_trace.txt", list.str());
  }
  for (const ompdm::test::SceneComparison& pair : ompdm::test::comparisons()) {
    const std::filesystem::path folder = std::filesystem::path(argv[1]) / pair.name;
    std::filesystem::create_directories(folder);
    std::array<ompdm::analysis::Analysis, 2> sides;
    for (std::size_t i = 0; i < sides.size(); ++i) {
      const std::string& scene = i == 0 ? pair.before : pair.after;
      const std::filesystem::path trace = std::filesystem::path(argv[1]) / scene / "trace.json";
      sides[i] = ompdm::analysis::analyze(ompdm::read_trace(trace));
      sides[i].file = scene + "/trace.json";
    }
    write(folder / "compare.txt", report::render_comparison(sides, report::Format::kText));
    write(folder / "compare.json", report::render_comparison(sides, report::Format::kJson));
    write(folder / "compare.csv", report::render_comparison(sides, report::Format::kCsv));
    write(folder / "compare.md", report::render_comparison(sides, report::Format::kMarkdown));
  }
}
