// A trace while it is being written: a new file of our own beside the one that it is to become,
// whatever others have put into that folder.
#pragma once

#include <filesystem>

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

}  // namespace ompdm::trace
