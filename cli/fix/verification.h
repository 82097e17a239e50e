// Verification of edits: versions of a program are built, run and compared.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "fix/sandbox.h"
#include "output.h"

namespace ompdm::cli {

/// Shows the current step on a terminal; elsewhere prints a line a step if all steps take long.
class Steps {
 public:
  /// Shows a step until the next begin() or end().
  void begin(const std::string& doing);
  void end() { progress_.reset(); }
  /// Prints how long `runs` more runs will take, if that is long.
  void expect(std::size_t runs, std::chrono::nanoseconds each);

 private:
  std::optional<Progress> progress_;
  bool is_long_ = false;
};

class Times {
 public:
  using Duration = std::chrono::nanoseconds;
  /// With fewer turns the times are printed, but neither faster nor slower.
  static constexpr std::size_t kJudged = 3;

  /// Adds a turn: a run of the original, then one of the changed program.
  void add(Duration before, Duration after);
  [[nodiscard]] std::size_t turns() const { return before_.size(); }

  /// Whether nearly all pairs of runs agree: single runs on a busy machine decide nothing.
  [[nodiscard]] bool is_faster() const;
  /// The same, by more than another memory layout may cost.
  [[nodiscard]] bool is_slower() const;
  /// "70.1 ms instead of 152 ms".
  [[nodiscard]] std::string figures() const;
  /// "the run takes 70.1 ms instead of 152 ms", or that there is no difference, or why none is
  /// known.
  [[nodiscard]] std::string sentence() const;

 private:
  std::vector<Duration> before_;
  std::vector<Duration> after_;
};

/// Turns that the user wants; nullopt: as many as the decision needs.
using TimedRuns = std::optional<std::size_t>;

/// Times of one or more inputs, and whether more turns are needed.
class TimeComparison {
 public:
  struct Asked {
    std::size_t inputs = 1;
    TimedRuns turns = {};
    /// It decides about the patch: turns go on until the program is clearly faster.
    bool is_final = false;
  };
  /// A run of the original, and one of the changed program after it.
  struct Turn {
    Times::Duration before;
    Times::Duration after;
  };

  explicit TimeComparison(const Asked& asked) : asked_(asked), each_(asked.inputs) {}

  /// The least number of turns.
  static std::size_t least(TimedRuns asked) { return asked.value_or(Times::kJudged); }
  [[nodiscard]] bool needs_more() const;
  /// Adds one turn of each input.
  void add(const std::vector<Turn>& turns);

  /// Times of all inputs as one run.
  [[nodiscard]] const Times& together() const { return together_; }
  [[nodiscard]] const Times& of(std::size_t input) const { return each_.at(input); }
  /// The first input for which the changed program is slower. None: there is no such input.
  [[nodiscard]] std::optional<std::size_t> slower() const;

 private:
  Asked asked_;
  Times together_;
  std::vector<Times> each_;
  Times::Duration spent_{};
};

/// How the output of two runs is compared.
struct Sameness {
  std::vector<std::regex> ignored;  ///< lines that hold any of these are left out
  std::string command;              ///< for the shell, with two files; empty: byte by byte
};

/// Throws Error where one is no regular expression.
Sameness sameness_of(const std::vector<std::string>& ignored, const std::string& command);

struct Measured {
  bool verified = false;
  std::string why;  ///< where it was not: what is different
  Movement before;
  Movement after;
  Times times;
  std::set<std::string> unseen;  ///< names of what came back last and was not compared

  /// Bytes that are no longer transferred.
  [[nodiscard]] std::uint64_t spared() const;
};

class Verifier {
 public:
  Verifier(const Target& target, Sameness same, TimedRuns timed_runs,
           const std::filesystem::path& folder, Steps& steps);

  /// Builds the original in a copy, and compiles these files again. Throws Error where it does not
  /// build.
  void build_original(const std::vector<std::filesystem::path>& files);
  /// How build_original() compiled each source.
  [[nodiscard]] std::vector<CompileArguments> compiles() const { return original_.compiles(); }
  [[nodiscard]] std::filesystem::path original() const { return original_.program(); }
  /// Runs the original twice, and prints how long the further runs will take. Throws Error where
  /// nothing is recorded, or where the two runs differ.
  void run_original(std::size_t runs_to_come);

  /// The least number of runs that measure() makes of each input.
  [[nodiscard]] std::size_t runs_of_one() const {
    return 1 + 2 * TimeComparison::least(timed_runs_);
  }
  struct Asked {
    std::string what;         ///< that is changed, for progress
    std::uint64_t least = 0;  ///< bytes that are to be spared
    /// Whether the last copies back must have the original's contents.
    bool contents = true;
    /// Its times decide about the patch.
    bool is_final = false;
  };
  /// Builds, records and compares the program with the files changed.
  Measured measure(const ChangedFiles& changed, const Asked& asked);
  /// Whether the program with the files changed has the same output and files.
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
  Sandbox original_;
  std::unique_ptr<Sandbox> changed_;
  std::vector<Observation> before_;  ///< by command
};

struct Verdict {
  std::size_t number = 0;
  std::string place;  ///< "heat.cpp:56"
  std::string what;   ///< the pattern
  std::optional<std::uint64_t>
      promised;          ///< bytes of redundant transfers; nullopt: the finding is about memory
  bool is_firm = false;  ///< no entry of a loop, nor use by the host, may need some of it after all
  bool was_tried = false;
  Measured measured;                       ///< of one that was tried
  std::string refused;                     ///< why it was not
  std::vector<std::string> left_out = {};  ///< data that is left as it is, and why
};

/// The verdict on a finding of the JSON report before it is verified.
Verdict verdict_of(std::size_t number, const nlohmann::json& finding);

/// "Finding  Where  Promised  Measured  Verdict". `of_other_runs`: what was measured is not of the
/// run that the promise is of.
std::string verdict_table(const std::vector<Verdict>& verdicts, bool of_other_runs);

/// "288 MB of 320 MB no longer cross (36 of 40 transfers); the run takes 70.1 ms instead of 152
/// ms".
std::string spared_sentence(const Measured& measured);

/// The lines before the diff of what was verified with the target's commands; `released` are names
/// of what is not brought back any more.
std::string verified_head(const Target& target, const Measured& measured,
                          const std::vector<std::string>& released);

}  // namespace ompdm::cli
