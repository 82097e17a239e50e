// A file that is being written for a name that may be taken: it has the name once it is whole, and
// leaves nothing behind otherwise.
#pragma once

#include <filesystem>
#include <memory>

#include "spool/without_signal.h"
#include "trace/temporary_file.h"

namespace ompdm::trace {

/// Lies beside the name that it is for, and is removed unless put(), also when Ctrl-C, SIGTERM or a
/// terminal's end comes first; a write past a limit on file sizes fails and does not kill. One at a
/// time in a process.
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
  spool::WithoutFileSizeSignal guard_;
  std::unique_ptr<TemporaryFile> file_;
};

}  // namespace ompdm::trace
