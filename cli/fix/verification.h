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

/// Shows the current step on a terminal; elsewhere prints a line a step if all steps take long.
class Steps {
 public:
  /// Shows a step until the next begin() or end(): "step 3 of 9: building the original".
  void begin(const std::string& doing);
  void end() { progress_.reset(); }
  /// How many steps are to come, as far as is known; what fails adds to them.
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
  std::string command;              ///< for the shell, with two files; empty: byte by byte
};

/// Throws Error where one is no regular expression.
Sameness sameness_of(const std::vector<std::string>& ignored, const std::string& command);

/// Builds the original in its copy, and compiles these files again. Throws Error where it does not
/// build.
void build_original(Sandbox& original, const Target& target,
                    const std::vector<std::filesystem::path>& files);

/// How edits are to be verified.
struct Verification {
  Sameness same;
  TimedRuns timed_runs;
};

/// Why plans cannot be made together, over files that are changed already; empty: they can.
std::string conflict_in(const std::vector<EditPlan>& plans, const ChangedFiles& base = {});

/// Adds a plan to others; where it changes what some of these do, one plan is made of both by the
/// tool, if it is not null. Returns why that cannot be; empty: it was added.
std::string add_plan(std::vector<EditPlan>& plans, const EditPlan& one, const EditTool* tool,
                     const ChangedFiles& base = {});

/// Builds, runs and compares changed versions of a program with the original.
class Verifier {
 public:
  /// The original is built. All must outlive this.
  Verifier(const Target& target, const Sandbox& original, Sandbox& changed,
           const Verification& asked, Steps& steps)
      : target_(target), original_(original), changed_(changed), asked_(asked), steps_(steps) {}

  /// Runs the original twice on each input. Throws Error where it moves nothing, or where its runs
  /// differ.
  void run_original();

  /// Tries the planned edits together, on top of all that was verified before, and writes what
  /// comes of each into its verdict. Where they do not hold together, parts of them are tried: at
  /// most four trials, or as many as it takes until any is verified. What is not tried then keeps
  /// a reason. `tool` makes one plan of two that change one clause; null: there is none.
  void try_edits(std::vector<Verdict>& verdicts, const EditTool* tool);

  /// Leaves on the device what nothing printed depends on, of the edits of this round.
  void release(const EditTool& tool);

  /// The files with all that was verified so far; no further edits of this round are added.
  void end_round();

  /// Builds what was verified so far, and records it on the first input, where the sandbox has
  /// something else. False where that fails.
  bool rebuild();

  [[nodiscard]] const Together& together() const { return together_; }

 private:
  struct Asked {
    std::string what;         ///< that is changed, for progress
    std::uint64_t least = 0;  ///< bytes that are to be spared
    bool contents = true;     ///< the last copies back must have the original's contents
  };
  using Group = std::vector<Verdict*>;
  /// With the original five builds a round.
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
  std::vector<bool> was_run_later_;  ///< the original, when something differed first
  std::vector<std::optional<std::multiset<std::string>>> checked_;  ///< of the original, by command
  ChangedFiles base_;                                               ///< what earlier rounds made
  std::set<std::string> assumed_;                                   ///< by edits of earlier rounds
  std::vector<EditPlan> accepted_;                                  ///< in this round
  std::optional<ChangedFiles> built_;  ///< that the sandbox has; none: not known
  int trials_ = 0;                     ///< in this round
  Together together_;
};

}  // namespace ompdm::cli
