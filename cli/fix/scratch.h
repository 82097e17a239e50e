// The folder in which copies of a program's tree are made.
#pragma once

#include <filesystem>

namespace ompdm::cli {

/// A folder of its own in $TMPDIR, removed with its contents. So are folders there that killed
/// processes of this user have left.
class Scratch {
 public:
  /// Throws Error where no folder can be made.
  Scratch();
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
  int lock_ = -1;  ///< held while this process lives
};

}  // namespace ompdm::cli
