#include "goldens.h"

#include <algorithm>
#include <array>
#include <sstream>
#include <utility>

#include "ompdm/comparison.h"
#include "ompdm/report.h"
#include "ompdm/trace_file.h"

namespace ompdm::test {

namespace fs = std::filesystem;
using report::Format;

namespace {

constexpr std::pair<const char*, Format> kFormats[] = {{".txt", Format::kText},
                                                       {".json", Format::kJson},
                                                       {".csv", Format::kCsv},
                                                       {".md", Format::kMarkdown}};

}  // namespace

std::vector<Trace> scene_traces(const fs::path& folder) {
  std::vector<fs::path> paths;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().filename().string().starts_with("trace")) paths.push_back(entry.path());
  }
  std::ranges::sort(paths);
  std::vector<Trace> traces;
  for (const fs::path& path : paths) {
    traces.push_back(read_trace(path));
    traces.back().file = path.filename().string();
  }
  return traces;
}

std::vector<analysis::Analysis> analyses_of(const std::vector<Trace>& traces) {
  std::vector<analysis::Analysis> analyses;
  for (const Trace& trace : traces) analyses.push_back(analysis::analyze(trace));
  if (!traces.empty() && traces[0].file.starts_with("trace.run")) analysis::agree(analyses);
  std::vector<analysis::RankTransfers> transfers;
  for (const Trace& trace : traces) transfers.push_back(analysis::rank_transfers(trace));
  if (!analyses.empty()) analyses.front().staging = analysis::staging_of(transfers);
  return analyses;
}

std::vector<Golden> goldens_of(const fs::path& folder) {
  const std::vector<Trace> traces = scene_traces(folder);
  const std::vector<analysis::Analysis> analyses = analyses_of(traces);
  std::vector<Golden> goldens;
  for (const auto& [ending, format] : kFormats) {
    const fs::path file = folder / (std::string("report") + ending);
    if (fs::exists(file)) goldens.push_back({file, report::render(analyses, format)});
  }
  if (fs::exists(folder / "paths.txt")) {
    goldens.push_back(
        {folder / "paths.txt", report::render(analyses, Format::kText, {.paths = true})});
  }
  if (fs::exists(folder / "gpu_trace.txt")) {
    std::ostringstream list;
    report::render_gpu_trace(traces, Format::kText, {}, list);
    goldens.push_back({folder / "gpu_trace.txt", list.str()});
  }
  return goldens;
}

std::vector<Golden> goldens_of(const fs::path& root, const SceneComparison& pair) {
  std::array<analysis::Analysis, 2> sides;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    const std::string& scene = i == 0 ? pair.before : pair.after;
    sides[i] = analysis::analyze(read_trace(root / scene / "trace.json"));
    sides[i].file = scene + "/trace.json";
  }
  std::vector<Golden> goldens;
  for (const auto& [ending, format] : kFormats) {
    goldens.push_back({root / pair.name / (std::string("compare") + ending),
                       report::render_comparison(sides, format)});
  }
  return goldens;
}

}  // namespace ompdm::test
