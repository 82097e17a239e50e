// Verification of edits: versions of a program are built, run and compared with the original.
#pragma once

#include <chrono>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "fix/edit_tool.h"
#include "fix/sandbox.h"
#include "fix/times.h"
#include "fix/verdicts.h"
#include "output.h"

namespace ompdm::cli {

/// Shows the current step on a terminal. Elsewhere it prints a line for each step if all steps take
/// long.
class Steps {
 public:
  /// Shows a step until the next begin() or end(): "step 3 of 9: building the original".
  void begin(const std::string& doing);
  void end() { progress_.reset(); }
  /// Sets how many steps are to come, as far as known. A failure adds steps.
  void expect(std::size_t steps) { last_ = number_ + steps; }
  /// Prints how long `runs` more runs will take, if that is long.
  void expect_runs(std::size_t runs, std::chrono::nanoseconds each);

 private:
  std::optional<Progress> progress_;
  std::size_t number_ = 0;
  std::size_t last_ = 0;
  bool is_long_ = false;
};

/// How the output of two runs is compared.
struct Sameness {
  std::vector<std::regex> ignored;  ///< lines that hold any of these are left out
  std::string command;              ///< a shell command with two files; empty: byte by byte
};

/// Throws Error where a pattern is no regular expression.
Sameness sameness_of(const std::vector<std::string>& ignored, const std::string& command);

/// Builds the original in its copy, and compiles these files again. Throws Error where it does not
/// build.
void build_original(Sandbox& original, const Target& target,
                    const std::vector<std::filesystem::path>& files);

/// How edits are to be verified.
struct Verification {
  Sameness same;
  TimedRuns timed_runs;
  bool release = false;  ///< data that the source shows to be unread need not be copied back
};

/// Why plans cannot be made together, on top of files that are changed already. Empty: they can.
std::string conflict_in(const std::vector<EditPlan>& plans, const ChangedFiles& base = {});

/// Adds a plan to others. Where it conflicts with one of these, `tool` makes one plan of both,
/// unless it is null. Returns why that is not possible. Empty: the plan was added.
std::string add_plan(std::vector<EditPlan>& plans, const EditPlan& one, const EditTool* tool,
                     const ChangedFiles& base = {});

/// Builds, runs and compares changed versions of a program with the original.
class Verifier {
 public:
  /// The original is built already. All arguments must outlive this.
  Verifier(const Target& target, const Sandbox& original, Sandbox& changed,
           const Verification& asked, Steps& steps)
      : target_(target), original_(original), changed_(changed), asked_(asked), steps_(steps) {}

  /// Runs the original twice on each input. Throws Error where it transfers nothing, or where its
  /// runs differ.
  void run_original();

  /// Tries the planned edits together, on top of all edits verified before, and writes the result
  /// into each verdict. Where they cannot be verified together, parts of them are tried. There are
  /// at most four trials, or as many as it takes until any part is verified. Edits that are not
  /// tried then keep a reason. `tool` makes one plan of two that change one clause; null: there is
  /// no tool.
  void try_edits(std::vector<Verdict>& verdicts, const EditTool* tool);

  /// Drops copies back of this round's edits on whose data no output depends.
  void release(const EditTool& tool);

  /// Ends a round: the files get all edits verified so far.
  void end_round();

  /// Builds the version with all verified edits, and records it on the first input, where the
  /// sandbox has another version. False where that fails.
  bool rebuild();

  [[nodiscard]] const Together& together() const { return together_; }

 private:
  struct Asked {
    std::string what;         ///< what is changed, for progress
    std::uint64_t least = 0;  ///< bytes that have to be spared
    bool contents = true;     ///< the last copies back have to have the original's contents
  };
  using Group = std::vector<Verdict*>;
  /// With the original, this makes five builds a round.
  static constexpr int kMostTrials = 4;

  [[nodiscard]] std::size_t steps_of_trial() const;
  void try_group(const Group& group, const EditTool* tool, std::vector<Group>& next);
  void accept(const Group& group, std::vector<EditPlan> plans, Measured found);
  void drop_idle(std::vector<Verdict>& verdicts, const EditTool* tool);
  void compare_with_itself(std::size_t input);
  void compare(std::size_t input, const Observation& after, bool has_contents,
               Measured& found) const;
  [[nodiscard]] Measured measure(const ChangedFiles& changed, const Asked& asked);
  [[nodiscard]] bool is_same(const ChangedFiles& changed, const std::string& what);
  [[nodiscard]] std::string on_which(std::size_t command) const;
  void expect_recorded(std::size_t command, const Observation& run) const;
  [[nodiscard]] std::string kept_lines(const std::string& output) const;
  [[nodiscard]] std::string difference(const Observation& one, const Observation& other) const;
  [[nodiscard]] std::string compared_by_command(const std::string& one,
                                                const std::string& other) const;
  [[nodiscard]] std::string change_in(const Observation& before, const Observation& after) const;
  [[nodiscard]] std::string unspared(const Measured& found, std::uint64_t least,
                                     const std::vector<Observation>& after) const;
  [[nodiscard]] std::string clause_gone_wrong();
  void compare_times(Measured& found);

  const Target& target_;
  const Sandbox& original_;
  Sandbox& changed_;
  const Verification& asked_;
  Steps& steps_;
  std::vector<Observation> before_;  ///< by command
  std::vector<bool> was_run_later_;  ///< by command: the original, where something differed first
  std::vector<std::optional<std::multiset<std::string>>> checked_;  ///< findings in the original,
                                                                    ///< by command
  ChangedFiles base_;                                               ///< files with the edits of
                                                                    ///< earlier rounds
  std::set<std::string> assumed_;                                   ///< by edits of earlier rounds
  std::vector<EditPlan> accepted_;                                  ///< in this round
  std::optional<ChangedFiles> built_;  ///< the version in the sandbox; none: not known
  int trials_ = 0;                     ///< in this round
  Together together_;
};

}  // namespace ompdm::cli
