// Edits built, run and held against the original: what they spare, and whether anything else is
// different.
#pragma once

#include <cstdint>
#include <memory>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "fix/steps.h"
#include "fix/times.h"
#include "fix/workplace.h"

namespace ompdm::cli {

/// How the output of two runs is compared.
struct Sameness {
  std::vector<std::regex> ignored;  ///< lines that hold any of these are left out
  std::string command;              ///< for the shell, with two files; empty: byte by byte
};

/// Throws Error where one is no regular expression.
Sameness sameness_of(const std::vector<std::string>& ignored, const std::string& command);

/// What crossed, and what was made for it on the device.
struct Movement {
  std::uint64_t bytes = 0;
  std::uint64_t transfers = 0;
  std::uint64_t allocations = 0;

  void add(const Observation& run);
};

struct Measured {
  bool verified = false;
  std::string why;  ///< where it was not: what is different
  Movement before;
  Movement after;
  Times times;
  std::set<std::string> unseen;  ///< names of what came back last and was not compared

  /// Bytes that do not cross any more.
  [[nodiscard]] std::uint64_t spared() const;
};

class Trials {
 public:
  Trials(const Target& target, Sameness same, TimedRuns timed_runs,
         const std::filesystem::path& folder, Steps& steps);

  /// In a copy, with these files as if they were just written. Throws Error where it does not
  /// build.
  void build_original(const std::vector<std::filesystem::path>& files);
  /// How that compiled each source.
  [[nodiscard]] std::vector<CompileArguments> compiles() const { return original_.compiles(); }
  [[nodiscard]] std::filesystem::path original() const { return original_.program(); }
  /// Runs what was built twice, and says how long so many further runs will take. Throws Error
  /// where nothing is recorded, or it differs from itself.
  void run_original(std::size_t runs_to_come);

  /// Runs that one measure() makes at least, of each input.
  [[nodiscard]] std::size_t runs_of_one() const {
    return 1 + 2 * TimeComparison::least(timed_runs_);
  }
  struct Asked {
    std::string what;         ///< that is changed, for progress
    std::uint64_t least = 0;  ///< bytes that are to be spared
    /// What comes back last has to have the original's contents: not where it is known that some
    /// of it does not come back.
    bool contents = true;
    /// What is told of its time is the last word.
    bool is_final = false;
  };
  /// With the files changed.
  Measured measure(const ChangedFiles& changed, const Asked& asked);
  /// Whether the program does the same with the files changed: nothing is measured.
  bool is_same(const ChangedFiles& changed, const std::string& what);

 private:
  [[nodiscard]] std::string difference(const Observation& one, const Observation& other) const;
  [[nodiscard]] static std::string other_file(const Observation& before, const Observation& after);
  [[nodiscard]] std::string kept_lines(const std::string& output) const;
  /// " on './app small'"; empty where there is one command alone.
  [[nodiscard]] std::string on_which(std::size_t command) const;
  void expect_recorded(std::size_t command, const Observation& run) const;
  [[nodiscard]] std::string unspared(const Measured& found, std::uint64_t least,
                                     const std::vector<Observation>& after) const;
  void compare_times(Measured& found, bool is_final);

  const Target& target_;
  Sameness same_;
  TimedRuns timed_runs_;
  std::filesystem::path folder_;
  Steps& steps_;
  Workplace original_;
  std::unique_ptr<Workplace> changed_;
  std::vector<Observation> before_;  ///< by command
};

}  // namespace ompdm::cli
