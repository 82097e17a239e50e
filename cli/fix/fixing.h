// The steps of `ompdm fix`: plans from the source, trials of each, and the patch that is left.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "fix/case.h"
#include "fix/edit_tool.h"
#include "fix/recorded.h"
#include "fix/steps.h"
#include "fix/trial.h"

namespace ompdm::cli {

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
