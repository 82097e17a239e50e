// The folder in which processes under one `ompdm record` tell it what they record. A process writes
// PID.N (three texts: spool, trace, program) when it opens a spool, PID.N.none (one text: why) when
// it could have offloaded and did not, and PID.N.told when it could open no spool, having told the
// user why.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

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

}  // namespace ompdm::cli
