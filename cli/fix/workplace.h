// A copy of the program's tree in which it is built and run, with or without edits.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fix/build_log.h"
#include "fix/child.h"
#include "fix/compile_arguments.h"
#include "fix/contents.h"
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
  bool is_recorded_command = false;                ///< the only one, else they are for the shell

  /// As one types it.
  [[nodiscard]] std::string command_text(std::size_t number) const;
};

/// What one run did.
struct Observation {
  int exit_status = 0;
  std::string output;
  std::string errors;
  WrittenFiles files;  ///< in the tree
  std::chrono::nanoseconds wall{};
  /// Of a recorded run.
  std::uint64_t bytes = 0;  ///< that crossed
  std::uint64_t transfers = 0;
  std::uint64_t allocations = 0;
  Contents contents;
};

class Workplace {
 public:
  /// Copies the tree into `folder`. Throws Error, also where nothing on this machine keeps a build
  /// from changing files outside of the copy.
  Workplace(const Target& target, const std::filesystem::path& folder);

  /// Builds with these files changed, all others as they were. Empty, or what went wrong: the
  /// program is not there afterwards unless the build made it here. Outside of the copy the build
  /// changes nothing; throws Error where it tries to.
  std::string build(const ChangedFiles& changed);
  /// The same with nothing changed, and these files as if they were just written, so that they are
  /// compiled; how is noted.
  std::string build_unchanged(const std::vector<std::filesystem::path>& files);
  /// What build_unchanged() noted, in terms of the user's own tree.
  [[nodiscard]] std::vector<CompileArguments> compiles() const;
  /// Runs that command of the target; recorded, with all contents looked at.
  Observation record(std::size_t command) const;
  /// Without a recorder.
  Observation run(std::size_t command) const;
  /// How long that takes: nothing else of it is looked at.
  std::chrono::nanoseconds time(std::size_t command) const;
  /// The program in the copy.
  [[nodiscard]] std::filesystem::path program() const;

 private:
  [[nodiscard]] std::filesystem::path place(const std::filesystem::path& path) const;
  using Environment = std::vector<std::pair<std::string, std::string>>;
  [[nodiscard]] ChildEnd start(std::vector<std::string> command, const View& view,
                               const std::filesystem::path& directory,
                               Environment environment) const;
  /// Where a file of the tree lies in the copy. Throws Error where a link leads it out of there.
  [[nodiscard]] std::filesystem::path own(const std::filesystem::path& file) const;
  void refuse_outside(const ChildEnd& build) const;
  [[nodiscard]] std::string outside_file(const std::string& message, std::size_t cause) const;
  /// Starts a run, and looks at what it left.
  [[nodiscard]] Observation observe(std::vector<std::string> command, bool records) const;
  std::string build(const ChangedFiles& changed, Environment environment);
  [[nodiscard]] std::string build_command() const;
  [[nodiscard]] std::vector<std::string> command(std::size_t number) const;

  const Target& target_;
  std::filesystem::path folder_;
  std::filesystem::path copy_;
  View run_view_;    ///< of what is run: it writes where it writes for its user
  View build_view_;  ///< of what is built
  bool in_place_ = false;
  BuildLog log_;
  ChangedFiles originals_;
};

}  // namespace ompdm::cli
