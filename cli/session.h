// A recording from the start of its program to its trace, and `ompdm finish`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "launch.h"
#include "ompdm/trace.h"

namespace ompdm::cli {

/// Regions, data operations and kernels that the tallies stand for.
struct Counts {
  std::uint64_t regions = 0;
  std::uint64_t ops = 0;
  std::uint64_t launches = 0;
  [[nodiscard]] bool any() const { return regions + ops + launches != 0; }
};

/// Of a trace.
inline Counts counts_of(const Trace& trace) {
  Counts counts;
  for (const RegionTally& tally : trace.region_tallies) counts.regions += tally.times.count;
  for (const OpTally& tally : trace.op_tallies) counts.ops += tally.times.count;
  for (const LaunchTally& tally : trace.launch_tallies) counts.launches += tally.times.count;
  return counts;
}

/// A process that opened a spool.
struct RecordedProcess {
  std::uint32_t pid = 0;
  std::uint32_t exec_ordinal = 0;
  bool replaced = false;  ///< a later image of the same process recorded too (exec)
  std::filesystem::path session;
  std::filesystem::path spool;
  std::filesystem::path trace;
  std::string program;
};

/// A process with an offload runtime in which no event came.
struct SilentProcess {
  std::uint32_t pid = 0;
  std::string reason;
};

struct SessionRecord {
  std::vector<RecordedProcess> recorded;  ///< the one that was given FILE first, then by pid
  std::vector<SilentProcess> silent;
  bool told = false;  ///< a process has told the user why it could record nothing
};

/// A fresh private folder in $TMPDIR or /tmp, removed with the object.
class Session {
 public:
  /// Throws Error if no folder can be made.
  Session();
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
};

/// What the processes have written by now; half-written files are left out.
SessionRecord read_session(const std::filesystem::path& folder);

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
