// The golden files: the output of ompdm for each scene. A scene is a folder of traces. Beside them
// lies report.txt. A scene may also be the example of report.json, report.csv, report.md, paths.txt
// or gpu_trace.txt: then that file lies there, too.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "ompdm/analysis.h"
#include "ompdm/trace.h"
#include "scenes.h"

namespace ompdm::test {

struct Golden {
  std::filesystem::path file;
  std::string text;  ///< what ompdm prints today
};

/// The traces in `folder` by name, each called as its file.
std::vector<Trace> scene_traces(const std::filesystem::path& folder);

/// Of these traces, which belong together.
std::vector<analysis::Analysis> analyses_of(const std::vector<Trace>& traces);

/// The golden files that lie in `folder`, of the traces that lie there.
std::vector<Golden> goldens_of(const std::filesystem::path& folder);

/// All of a comparison of two scenes; their folders and its own are in `root`.
std::vector<Golden> goldens_of(const std::filesystem::path& root, const SceneComparison& pair);

}  // namespace ompdm::test
