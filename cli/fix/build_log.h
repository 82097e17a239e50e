// How each process of a build was started: libompdm-build-log.so, loaded into all of them, writes
// it down. What is linked statically, or keeps no environment, is not seen.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace ompdm::cli {

struct StartedProcess {
  std::filesystem::path directory;
  std::vector<std::string> words;
};

/// A file that the processes of a build write to.
class BuildLog {
 public:
  /// In `folder`, which is made, and empty. Throws Error where the library is not installed.
  explicit BuildLog(const std::filesystem::path& folder);

  /// What a build needs in its environment to be seen.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> environment() const;
  [[nodiscard]] std::vector<StartedProcess> processes() const;

 private:
  std::filesystem::path file_;
  std::filesystem::path library_;
};

}  // namespace ompdm::cli
