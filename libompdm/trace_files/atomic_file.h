// Atomic file replacement: a temporary file beside the target, renamed when it is whole, removed
// on failure or signal.
#pragma once

#include <filesystem>
#include <memory>

#include "spool_format/without_signal.h"

namespace ompdm::trace {

/// Removes its file in the end, unless that has got another name by then.
class TemporaryFile {
 public:
  /// Makes "trace.json.tmp-PID" beside `wanted`, or ".tmp-PID.N" where something has that name:
  /// never one that was there, nor through a link. Readable by whom the umask allows, and by us.
  /// Throws Error, which names `wanted`.
  explicit TemporaryFile(const std::filesystem::path& wanted);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// The descriptor, open for writing; it is the caller's from here on.
  [[nodiscard]] int take_descriptor();
  /// It has another name by now: what has this one at the end is somebody else's.
  void renamed() { path_.clear(); }

 private:
  std::filesystem::path path_;
  int fd_ = -1;
};

/// A file beside the one that it is to replace. It is removed unless put(), also if Ctrl-C, SIGTERM
/// or a terminal's end comes first. A write past a limit on file sizes fails and does not kill. One
/// at a time in a process.
class Replacement {
 public:
  /// Throws Error, which names `wanted`.
  explicit Replacement(const std::filesystem::path& wanted);
  ~Replacement();
  Replacement(const Replacement&) = delete;
  Replacement& operator=(const Replacement&) = delete;

  /// Where it lies meanwhile.
  [[nodiscard]] const std::filesystem::path& path() const { return file_->path(); }
  /// The descriptor, open for writing; it is the caller's from here on.
  [[nodiscard]] int take_descriptor() { return file_->take_descriptor(); }
  /// Gives it its name, in place of what has it. Throws Error.
  void put();

 private:
  std::filesystem::path wanted_;
  spool::WithoutSignal guard_{SIGXFSZ};
  std::unique_ptr<TemporaryFile> file_;
};

}  // namespace ompdm::trace
