// Verification of edits: versions of a program are built, run and compared.
#pragma once

#include <chrono>
#include <cstdint>
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

/// A finding, its edits, and what came of them.
struct Verdict {
  EditPlan plan;       ///< its `refused` says why there is none, or why it was not tried
  SourceState source;  ///< whether the sources are those of the recording
  std::string place;   ///< "heat.cpp:56"
  std::string what;    ///< the pattern
  /// Bytes of redundant transfers; nullopt: the finding is about memory.
  std::optional<std::uint64_t> promised;
  bool was_tried = false;
  Measured measured;  ///< of one that was tried

  [[nodiscard]] bool is_open() const { return plan.refused.empty(); }
  [[nodiscard]] bool is_planned() const { return is_open() && !plan.replacements.empty(); }
};

/// Builds the original in its copy, and compiles these files again. Throws Error where it does not
/// build.
void build_original(Sandbox& original, const Target& target,
                    const std::vector<std::filesystem::path>& files);

/// How edits are to be verified.
struct Verification {
  Sameness same;
  TimedRuns timed_runs;
  bool release = false;  ///< unread data is not copied back
};

/// All edits that were verified.
struct Together {
  std::optional<Measured> measured;  ///< nullopt: no edit was
  std::vector<EditPlan> accepted;
  std::vector<std::string> released;  ///< names of variables that are no longer copied back
};

/// Runs the original twice, then builds, runs and compares each planned edit and all of them
/// together, and writes what comes of each into its verdict. The second copy of the
/// target is made in `folder`. Throws Error where the original records nothing, or where its two
/// runs differ.
Together verify_edits(std::vector<Verdict>& verdicts, const EditTool& tool, const Target& target,
                      const Sandbox& original, const std::filesystem::path& folder,
                      const Verification& asked, Steps& steps);

/// Why plans cannot be made together; empty: they can.
std::string conflict_in(const std::vector<EditPlan>& plans);

/// Adds a plan to others; where it changes what some of these do, one plan is made of both. Returns
/// why that cannot be; empty: it was added.
std::string add_plan(std::vector<EditPlan>& plans, const EditPlan& one, const EditTool& tool);

/// "Finding  Where  Promised  Measured  Verdict". `of_other_runs`: what was measured is not of the
/// run that the promise is of.
std::string verdict_table(const std::vector<Verdict>& verdicts, bool of_other_runs);

/// "288 MB of 320 MB no longer cross (36 of 40 transfers); the run takes 70.1 ms instead of 152
/// ms".
std::string spared_sentence(const Measured& measured);

/// The lines before the diff of what was verified with the target's commands.
std::string verified_head(const Target& target, const Measured& measured, const Together& made);

}  // namespace ompdm::cli
