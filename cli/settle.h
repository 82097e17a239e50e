// What becomes of a session once its program has ended: recordings left open by processes that died
// are finished, and the user is told what there is.
#pragma once

#include <string>
#include <vector>

#include "launch.h"
#include "session.h"

namespace ompdm::cli {

/// The outcome in words, one line each without a prefix, and the traces that can be reported now.
struct Outcome {
  std::vector<std::string> lines;
  std::vector<std::string> traces;
};

/// Finishes what dead processes left (not with `keep_spools`) and describes every recording.
/// `program` is the command as typed. Never throws for a recording that cannot be finished: that is
/// a line.
Outcome settle(const SessionRecord& session, const Ending& ending, const std::string& program,
               bool keep_spools);

}  // namespace ompdm::cli
