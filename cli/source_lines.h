// Lines of a program's source files, as they were when it was compiled.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "ompdm/recording.h"

namespace ompdm::cli {

/// Reads a file when it is first asked for. A file that is newer than the program, or than the
/// recording, may have other lines now: it has none here.
class SourceLines {
 public:
  explicit SourceLines(const Process& process);

  /// All lines, a long one cut; empty where the file is not at hand.
  [[nodiscard]] const std::vector<std::string>& of(const std::string& file) const;
  /// Where the file lies; empty where it is not at hand, or newer.
  [[nodiscard]] std::filesystem::path path_of(const std::string& file) const;
  /// Where it lies, newer or not; empty where it is not at hand.
  [[nodiscard]] std::filesystem::path place_of(const std::string& file) const;
  /// Whether the program was built after it was recorded, and the file not changed after that.
  [[nodiscard]] bool is_older_than_rebuilt_program(const std::filesystem::path& path) const;

 private:
  Process process_;
  std::int64_t built_ = 0;  ///< 0: the program is not there
  std::int64_t latest_ = 0;
  mutable std::map<std::string, std::vector<std::string>> known_;
};

}  // namespace ompdm::cli
