// The run that a trace is of, as `ompdm fix` needs it: the command, and its findings with where
// their lines are now.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "fix/source_state.h"

namespace ompdm::cli {

struct RecordedFinding {
  SourceState source;
  bool is_at_most =
      false;  ///< entries of a loop that were not seen may need some of what it counts
};

struct RecordedRun {
  std::filesystem::path program;
  std::filesystem::path directory;
  std::vector<std::string> arguments;       ///< the program first
  std::string build_id;                     ///< of the program
  nlohmann::json findings;                  ///< of the JSON report, with paths as they are here
  std::vector<RecordedFinding> facts;       ///< the same, in this order
  std::vector<std::filesystem::path> near;  ///< the sources, and the program
};

/// Throws Error.
RecordedRun recorded_run(const std::string& trace);

/// Whether what was built now has the code and the lines of what was recorded, if that is there
/// still.
bool is_built_as_recorded(const RecordedRun& run, const std::filesystem::path& built);

}  // namespace ompdm::cli
