// A copy of the program's tree in which it is built and run, with or without edits.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "fix/child.h"
#include "fix/patch.h"
#include "fix/written_files.h"

namespace ompdm::cli {

/// What is built and run, as the user's own tree has it.
struct Target {
  std::filesystem::path tree;
  std::filesystem::path program;
  std::filesystem::path directory;                 ///< that it runs in
  std::filesystem::path build_directory;           ///< that the build command runs in
  std::string build;                               ///< for the shell
  std::vector<std::vector<std::string>> commands;  ///< the runs, each an input
};

/// What one run did.
struct Observation {
  int exit_status = 0;
  std::string output;
  WrittenFiles files;  ///< in the tree
  std::chrono::nanoseconds wall{};
  /// Of a recorded run.
  std::uint64_t bytes = 0;  ///< that crossed
  std::uint64_t transfers = 0;
  /// Hashes of contents: what came back last, by variable, and all that crossed.
  std::map<std::string, std::uint64_t> returned;
  std::set<std::uint64_t> crossed;
};

class Workplace {
 public:
  /// Copies the tree into `folder`. Throws Error.
  Workplace(const Target& target, const std::filesystem::path& folder);

  /// Builds with these files changed, all others as they were. Empty, or what went wrong: the
  /// program is not there afterwards unless the build made it here.
  std::string build(const ChangedFiles& changed);
  /// Runs that command of the target; recorded, with all contents looked at.
  Observation record(std::size_t command) const;
  /// Without a recorder.
  Observation run(std::size_t command) const;
  /// Whether the copy is seen where the tree lies: paths in build folders then need no change.
  [[nodiscard]] bool is_seen_in_place() const { return in_place_; }

 private:
  [[nodiscard]] std::filesystem::path place(const std::filesystem::path& path) const;
  [[nodiscard]] ChildEnd start(std::vector<std::string> command,
                               const std::filesystem::path& directory, bool records) const;
  /// Starts a run, and looks at what it left.
  [[nodiscard]] Observation observe(std::vector<std::string> command, bool records) const;
  [[nodiscard]] std::string build_command() const;
  [[nodiscard]] std::vector<std::string> command(std::size_t number) const;

  const Target& target_;
  std::filesystem::path folder_;
  std::filesystem::path copy_;
  View view_;
  bool in_place_ = false;
  ChangedFiles originals_;
};

}  // namespace ompdm::cli
