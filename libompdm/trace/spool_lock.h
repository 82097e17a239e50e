// A spool while it is turned into a trace: locked, so that two processes do not both do it, and
// known by its file, whose name may change meanwhile.
#pragma once

#include <filesystem>

#include "ompdm/finish.h"

namespace ompdm::trace {

/// The kernel takes the lock back from a finisher that dies. Where the file system has no locks,
/// one finisher at a time is the user's affair.
class SpoolLock {
 public:
  /// Opens and locks the spool, or takes what the options hand over. Throws Error if it cannot be
  /// opened, or if another process has it for longer than the options' patience.
  SpoolLock(const std::filesystem::path& path, const FinishOptions& options);
  ~SpoolLock();
  SpoolLock(const SpoolLock&) = delete;
  SpoolLock& operator=(const SpoolLock&) = delete;

  [[nodiscard]] int descriptor() const { return fd_; }
  /// Leads to the locked file whatever its name is by now.
  [[nodiscard]] std::filesystem::path handle() const;
  /// Whether another finisher has removed it meanwhile.
  [[nodiscard]] bool removed() const;
  [[nodiscard]] bool belongs_to_us() const;
  /// Removes the file under the name that it has by now.
  void remove_file(std::error_code& error) const;

 private:
  [[nodiscard]] bool is_locked_file(const std::filesystem::path& name) const;

  int fd_;
};

}  // namespace ompdm::trace
