// `ompdm fix` from a trace to a patch.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "fix/edit_tool.h"
#include "fix/trial.h"

namespace ompdm::cli {

struct Case {
  EditPlan plan;
  Verdict verdict;
  SourceState source;

  [[nodiscard]] bool is_open() const { return verdict.refused.empty(); }
  [[nodiscard]] bool is_planned() const { return is_open() && !plan.replacements.empty(); }
};

/// Why plans cannot be made together; empty: they can.
std::string conflict_in(const std::vector<EditPlan>& plans);

struct RecordedFinding {
  SourceState source;
  bool is_at_most =
      false;  ///< entries of a loop that were not seen may need some of what it counts
};

struct RecordedRun {
  std::filesystem::path program;
  std::filesystem::path directory;
  std::vector<std::string> arguments;       ///< the program first
  std::string build_id;                     ///< of the program
  nlohmann::json findings;                  ///< of the JSON report, with paths as they are here
  std::vector<RecordedFinding> facts;       ///< the same, in this order
  std::vector<std::filesystem::path> near;  ///< the sources, and the program
};

/// Throws Error.
RecordedRun recorded_run(const std::string& trace);

/// Whether what was built now has the code and the lines of what was recorded, if that is there
/// still.
bool is_built_as_recorded(const RecordedRun& run, const std::filesystem::path& built);

struct FixOptions {
  std::string trace;
  std::string build;
  std::vector<std::string> runs;
  std::string commands;  ///< the folder of compile_commands.json
  std::string tree;
  std::vector<std::size_t> only;
  std::string same;
  std::vector<std::string> ignored;
  TimedRuns timed_runs;
  bool release = false;
  bool apply = false;
  std::string output;
};

/// Of one trace. Throws Error.
class Fixing {
 public:
  explicit Fixing(const FixOptions& options);

  /// Tells all that came of it. The exit status: 0 where there is a patch, 4 where nothing could be
  /// verified, or nothing made.
  int run();

 private:
  void take_up(std::size_t number);
  void plan();
  [[nodiscard]] std::vector<std::filesystem::path> sources() const;
  [[nodiscard]] std::filesystem::path find_tree() const;
  [[nodiscard]] Target target() const;
  [[nodiscard]] bool is_any(bool (Case::*holds)() const) const;
  int print_unverified();
  int verify();
  void learn_of(const Trials& trials);
  void print_table() const;
  [[nodiscard]] std::string by_hand() const;

  const FixOptions& options_;
  RecordedRun recorded_;
  EditTool tool_;
  std::filesystem::path tree_;
  std::vector<Case> cases_;
  Steps steps_;
};

}  // namespace ompdm::cli
