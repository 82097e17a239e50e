// What `record` says of a job's ranks: one line a job, whether it runs above the launcher or once
// in each rank.
#pragma once

#include "settle.h"

namespace ompdm::cli {

/// "trace.rank*.json" of "trace.rank12.json"; empty for other names.
std::string pattern_of_ranks(const std::string& trace);

/// "trace.rank*.json" of "trace.json", the output that each rank was given; empty where it has
/// placeholders, which ranks may fill differently.
std::string pattern_of_job(const std::string& output);

/// The command that shows the ranks of such a pattern, as one would type it.
std::string report_of_job(const std::string& pattern);

/// Of traces of ranks of one job, "wrote …" of each and what follows is said once: by rank 0 where
/// each rank has a `record` of its own. What else happened to a rank is said as ever. Whether the
/// next command is told by that.
bool tell_job_once(Settled& settled);

}  // namespace ompdm::cli
