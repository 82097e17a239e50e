// Versions of a program, built, run and held against each other.
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

/// On a terminal the step that is being done; elsewhere a line a step, once that is known to take
/// long.
class Steps {
 public:
  /// Until the next begin(), or end().
  void begin(const std::string& doing);
  void end() { progress_.reset(); }
  /// Says what is to come, where that takes long: so many runs, each as long as the one that was
  /// made.
  void expect(std::size_t runs, std::chrono::nanoseconds each);

 private:
  std::optional<Progress> progress_;
  bool is_long_ = false;
};

class Times {
 public:
  using Duration = std::chrono::nanoseconds;
  /// Fewer turns are told and not judged: they are neither faster nor slower.
  static constexpr std::size_t kJudged = 3;

  /// One turn: the original, and the changed program after it.
  void add(Duration before, Duration after);
  [[nodiscard]] std::size_t turns() const { return before_.size(); }

  /// Nearly every run of the one took longer than nearly every run of the other: what a busy
  /// machine does to single runs makes neither.
  [[nodiscard]] bool is_faster() const;
  /// The same, and by more than a different layout of the program's memory may cost.
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

/// Turns that the user wants; none: as many as the answer needs.
using TimedRuns = std::optional<std::size_t>;

/// Turns of one or more inputs: whether further ones are needed, and what all of them say.
class TimeComparison {
 public:
  struct Asked {
    std::size_t inputs = 1;
    TimedRuns turns = {};
    /// What it says is the last word: it goes on until the program is clearly faster.
    bool is_final = false;
  };
  /// A run of the original, and one of the changed program after it.
  struct Turn {
    Times::Duration before;
    Times::Duration after;
  };

  explicit TimeComparison(const Asked& asked) : asked_(asked), each_(asked.inputs) {}

  /// Turns that are made in any case.
  static std::size_t least(TimedRuns asked) { return asked.value_or(Times::kJudged); }
  [[nodiscard]] bool needs_more() const;
  /// One turn of each input.
  void add(const std::vector<Turn>& turns);

  /// Of all inputs as one run.
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

  /// Bytes that do not cross any more.
  [[nodiscard]] std::uint64_t spared() const;
};

class Verifier {
 public:
  Verifier(const Target& target, Sameness same, TimedRuns timed_runs,
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
  Sandbox original_;
  std::unique_ptr<Sandbox> changed_;
  std::vector<Observation> before_;  ///< by command
};

struct Verdict {
  std::size_t number = 0;
  std::string place;                      ///< "heat.cpp:56"
  std::string what;                       ///< the pattern
  std::optional<std::uint64_t> promised;  ///< bytes that are not to cross; none: it is of memory
  bool is_firm = false;  ///< no entry of a loop, nor use by the host, may need some of it after all
  bool was_tried = false;
  Measured measured;                       ///< of one that was tried
  std::string refused;                     ///< why it was not
  std::vector<std::string> left_out = {};  ///< data that is left as it is, and why
};

/// Of a finding of the JSON report, before anything is tried.
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
