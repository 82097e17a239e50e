// What becomes of a session once its program has ended: its recordings are finished, and the user
// is told what there is.
#pragma once

#include <string>
#include <vector>

#include "launch.h"
#include "session.h"

namespace ompdm::cli {

/// Finishes what processes left, as many at once as there are processors (not with `keep_spools`),
/// and describes every recording, in lines without a prefix. `program` is the command as typed.
/// Never throws for a recording that cannot be finished: that is a line.
std::vector<std::string> settle(const SessionRecord& session, const Ending& ending,
                                const std::string& program, bool keep_spools);

}  // namespace ompdm::cli
