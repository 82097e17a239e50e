// A recording, from the start of its program to its trace, and `ompdm finish`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "launch.h"

namespace ompdm::cli {

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

/// A process with an offload runtime that had no event.
struct SilentProcess {
  std::uint32_t pid = 0;
  std::string reason;
};

struct SessionRecord {
  std::vector<RecordedProcess> recorded;  ///< the process with the trace FILE first, then by pid
  std::vector<SilentProcess> silent;
  bool has_reported = false;  ///< a recorder has printed why it recorded nothing
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

/// Reads the files that processes have written into the session's folder. Skips incomplete files.
SessionRecord read_session(const std::filesystem::path& folder);

/// The result of finish_session().
struct FinishedSession {
  std::vector<std::string> lines;   ///< for the user, without a prefix
  std::vector<std::string> traces;  ///< that can be reported now, with the names that a user would
                                    ///< type
};

/// Finishes the spools of processes, in parallel, and describes every recording. With `keep_spools`
/// the spools remain. `command`: as the user typed it. Where nothing was recorded, a line names an
/// older file at `output`. Throws nothing: an error becomes a line.
FinishedSession finish_session(const SessionRecord& session, const Ending& ending,
                               const std::vector<std::string>& command,
                               const std::filesystem::path& output, bool keep_spools);

}  // namespace ompdm::cli
