// What to write in the program's sources for each finding.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "fix/edit_tool.h"
#include "ompdm/analysis.h"
#include "source_lines.h"

namespace ompdm::cli {

/// Findings of the JSON report, with the paths that their sources have here.
struct SourcedFindings {
  nlohmann::json findings;
  std::vector<std::string> keys;             ///< what identifies the edits of each
  std::vector<SourceState> states;           ///< of the sources of each
  std::vector<std::filesystem::path> files;  ///< sources that they name
};

/// Edits that are withheld for what the run did not reach are among them: the source shows that.
SourcedFindings sourced_findings(const analysis::Analysis& analysis, const SourceLines& sources);

/// Sets Finding::patch of each finding whose edits can be written, as `ompdm fix` would; of sources
/// that are as they were compiled. What Trace::patches has is not asked again; new ones are added
/// there. Where `search` names no commands, the debug information tells how sources were compiled.
/// Throws Error where ompdm-edit is not installed or
/// fails.
void add_patches(Trace& trace, const SourceSearch& search, EditProcess& process,
                 analysis::Analysis& analysis);

}  // namespace ompdm::cli
