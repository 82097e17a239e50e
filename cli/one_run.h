// Which of the traces that were named together are of one run: ranks and processes of one run are
// added up, and an older run must not be among them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ompdm/recording.h"

namespace ompdm::cli {

/// A recording: where it was read from, and the process that it is of.
struct OneRecording {
  std::string file;
  Process process;
};

/// 12 of "trace.rank12.json" and of "trace.rank12.p77.json"; -1 of other names.
int rank_in_name(const std::string& name);

/// What remains of `names` without traces that were kept when a newer one among them took their
/// name (`trace.~1~.json` beside `trace.json`). Each that is left out is said on stderr.
std::vector<std::string> without_older_runs(const std::vector<std::string>& names);

/// Throws Error where the same recording is there twice.
void check_apart(const std::vector<OneRecording>& recordings);

/// Throws Error where two recordings cannot be of one run: the same rank twice (but for processes
/// that one parent, `ompdm record` or group of processes has in common), or ranks of jobs of
/// different sizes.
void check_ranks(const std::vector<OneRecording>& recordings);

/// The same where the whole run is wanted: says on stderr where ranks of one machine did not run at
/// the same time, and which ranks of the job are missing.
void check_one_run(const std::vector<OneRecording>& recordings);

/// Positions in the order of ranks; recordings without a rank come first, as they were named.
std::vector<std::size_t> rank_order(const std::vector<OneRecording>& recordings);

}  // namespace ompdm::cli
