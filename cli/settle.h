// What becomes of a session once its program has ended: its recordings are finished, and the user
// is told what there is.
#pragma once

#include <string>
#include <vector>

#include "launch.h"
#include "session.h"

namespace ompdm::cli {

/// What there is.
struct Settled {
  std::vector<std::string> lines;   ///< for the user, without a prefix
  std::vector<std::string> traces;  ///< that can be reported now, as one would type their names
};

/// Finishes what processes left, as many at once as there are processors (not with `keep_spools`),
/// and describes every recording. `command` is as it was typed. Where nothing was recorded, an
/// older file at `output`, the trace asked for, is told about too. Never throws for a recording
/// that cannot be finished: that is a line.
Settled settle(const SessionRecord& session, const Ending& ending,
               const std::vector<std::string>& command, const std::filesystem::path& output,
               bool keep_spools);

}  // namespace ompdm::cli
