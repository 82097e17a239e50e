// The lines to write in the program's sources for each finding.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "fix/edit_tool.h"
#include "ompdm/analysis.h"
#include "source_lines.h"

namespace ompdm::cli {

/// Findings of the JSON report, with their sources' paths on this machine.
struct SourcedFindings {
  nlohmann::json findings;
  std::vector<std::string> keys;             ///< by finding: identifies its edits
  std::vector<SourceState> states;           ///< by finding: of its sources
  std::vector<std::filesystem::path> files;  ///< sources that the findings name
};

/// The findings of an analysis. Edits that were withdrawn because of unexecuted directives are
/// among them: the source decides.
SourcedFindings sourced_findings(const analysis::Analysis& analysis, const SourceLines& sources);

/// Sets Finding::patch of each finding whose edits can be written, as `ompdm fix` would. Only for
/// sources that are as they were compiled. Patches of Trace::patches are used, and new ones are
/// added there. Where `search` names no commands, the debug information tells how sources were
/// compiled. Throws Error where ompdm-edit is not installed or fails.
void add_patches(Trace& trace, const SourceSearch& search, EditProcess& process,
                 analysis::Analysis& analysis);

}  // namespace ompdm::cli
