// A copy of the sources in which versions are built and run.
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fix/changed_files.h"
#include "fix/compile_arguments.h"
#include "fix/edit_tool.h"
#include "launch.h"
#include "ompdm/trace.h"

namespace ompdm::cli {

struct Contents {
  /// The last copy of a variable back to the host.
  struct Returned {
    std::string name;         ///< of the variable
    std::uint64_t bytes = 0;  ///< that were copied
    std::uint64_t hash = 0;   ///< 0: not compared, as for a copy that had not ended
  };

  Contents() = default;
  explicit Contents(const Trace& trace);

  /// Removes contents that another run of the same program did not transfer: they prove nothing.
  void keep_what_crosses_in(const Contents& other);
  /// The name of a variable whose contents were copied back here, but not in a run of the changed
  /// program. Empty: there is none. The contents may be transferred at any time and under any name:
  /// the host may change them later.
  [[nodiscard]] std::string lost_in(const Contents& other) const;
  /// Names of variables whose last copy back has no hash in one of the runs: it was not compared.
  [[nodiscard]] std::set<std::string> unseen_in(const Contents& other) const;

 private:
  /// Whether a copy back has a hash, and so have all copies back of the other run that may
  /// correspond to it.
  [[nodiscard]] bool was_seen_in(const Contents& other, const Returned& last) const;

  std::map<std::uint64_t, Returned> returned_;  ///< by the address on the host
  std::set<std::uint64_t> crossed_;             ///< hashes of transfers, in both directions
};

/// Hashes of files, by their path in a tree.
using WrittenFiles = std::map<std::filesystem::path, std::uint64_t>;

/// The folder that holds all of these files: the top of their repository, else their common folder.
/// Throws Error where that folder may not be copied (/, a home, /usr).
std::filesystem::path tree_of(const std::vector<std::filesystem::path>& files);

/// Whether tree_of() finds a folder.
bool has_tree(const std::vector<std::filesystem::path>& files);

/// The path in the copy of the tree; other paths unchanged.
std::filesystem::path in_copy(const std::filesystem::path& path, const std::filesystem::path& tree,
                              const std::filesystem::path& copy);

/// Copies the tree with its times and links. A link leads to the same place as before, or to the
/// same place in the copy. Throws Error.
void copy_tree(const std::filesystem::path& from, const std::filesystem::path& to);

/// Throws Error.
void write_text(const std::filesystem::path& file, const std::string& text);

/// The program to build and run, with paths in the user's own tree.
struct Target {
  std::filesystem::path tree;
  std::filesystem::path program;
  std::filesystem::path directory;                 ///< that it runs in
  std::filesystem::path build_directory;           ///< that the build command runs in
  std::string build;                               ///< a shell command
  std::vector<std::vector<std::string>> commands;  ///< the runs, one for each input
  bool is_recorded_command = false;                ///< the command of the recording; else they are
                                                   ///< shell commands

  /// The command as a user types it.
  [[nodiscard]] std::string command_text(std::size_t number) const;
};

/// What a run transferred, and how often it allocated device memory.
struct Movement {
  std::uint64_t bytes = 0;
  std::uint64_t transfers = 0;
  std::uint64_t allocations = 0;

  void add(const Movement& other) {
    bytes += other.bytes;
    transfers += other.transfers;
    allocations += other.allocations;
  }
};

/// The result of one run: its output, the files that it wrote, and its transfers.
struct Observation : ChildEnd {
  WrittenFiles files = {};  ///< files in the tree that it wrote
  Movement moved = {};      ///< of a recorded run
  Contents contents = {};   ///< of a recorded run
};

class Sandbox {
 public:
  using Environment = std::vector<std::pair<std::string, std::string>>;

  /// Copies the tree into `folder`. Throws Error, also where this machine cannot keep a build from
  /// changing files outside of the copy.
  Sandbox(const Target& target, const std::filesystem::path& folder);

  /// Builds with these files changed and all others original. Returns an error message, or an empty
  /// text. A program from an earlier build is removed first. Throws Error where the build tries to
  /// write outside of the copy.
  std::string build(const ChangedFiles& changed, Environment environment = {});
  /// Builds the original and logs how its sources are compiled. Writes the files again, so that the
  /// build compiles them.
  std::string build_unchanged(const std::vector<std::filesystem::path>& files);
  /// The compile commands that build_unchanged() logged, with paths in the user's own tree.
  [[nodiscard]] std::vector<CompileArguments> compiles() const;
  /// Records a command of the target, with all contents hashed.
  Observation record(std::size_t command) const;
  /// The findings of `ompdm check` for a command: "never_sent of u[0:n]". None where it cannot
  /// check, as on devices that are not the host.
  [[nodiscard]] std::optional<std::multiset<std::string>> check(std::size_t command) const;
  /// Runs a command without the recorder.
  Observation run(std::size_t command) const;
  /// The wall time of a command.
  std::chrono::nanoseconds time(std::size_t command) const;
  /// The output of an ompdm command, run in the build folder where the copy is mounted over the
  /// tree. Throws Error where it fails, or where the copy is not mounted there.
  [[nodiscard]] std::string ask(std::vector<std::string> words) const;
  /// Whether builds and runs see the copy in place of the tree.
  [[nodiscard]] bool is_in_place() const { return in_place_; }
  /// The trace of the last recorded run of a command.
  [[nodiscard]] std::filesystem::path trace(std::size_t command) const {
    return folder_ / fmt::format("trace-{}.json", command);
  }
  /// A folder beside the copy, for files of this program's own.
  [[nodiscard]] const std::filesystem::path& scratch() const { return folder_; }
  /// The program in the copy.
  [[nodiscard]] std::filesystem::path program() const;

 private:
  [[nodiscard]] std::filesystem::path place(const std::filesystem::path& path) const;
  [[nodiscard]] ChildEnd start(std::vector<std::string> command, const View& view,
                               const std::filesystem::path& directory,
                               Environment environment) const;
  /// The path in the copy of a file of the tree. Throws Error where a link leads out of the copy.
  [[nodiscard]] std::filesystem::path own(const std::filesystem::path& file) const;
  void refuse_outside(const ChildEnd& build) const;
  [[nodiscard]] std::string outside_file(const std::string& message, std::size_t cause) const;
  /// Runs a command and collects its output and files.
  [[nodiscard]] Observation observe(std::vector<std::string> command, bool records) const;
  [[nodiscard]] std::string build_command() const;
  [[nodiscard]] std::vector<std::string> command(std::size_t number) const;

  const Target& target_;
  std::filesystem::path folder_;
  std::filesystem::path copy_;
  View run_view_;    ///< of runs: the program may write where it writes for its user
  View build_view_;  ///< of builds
  bool in_place_ = false;
  BuildLog log_;
  ChangedFiles originals_;
};

}  // namespace ompdm::cli
