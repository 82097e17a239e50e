// The steps of `ompdm fix`: plans from the source, trials of each, and the patch that is left.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "fix/edit_tool.h"
#include "fix/patch.h"
#include "fix/trial.h"
#include "fix/verdicts.h"
#include "progress.h"

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
  void tell(const std::string& doing);
  [[nodiscard]] Verdict verdict_of(std::size_t number) const;
  void plan();
  [[nodiscard]] std::filesystem::path tree() const;
  [[nodiscard]] Target target() const;
  int print_unverified();
  int verify();
  std::vector<EditPlan> try_each(Trials& trials);
  Measured try_together(Trials& trials, std::vector<EditPlan>& accepted);
  [[nodiscard]] std::string released_text() const;
  int finish(const std::vector<EditPlan>& accepted, const Measured& together, const Target& what);
  void apply(const ChangedFiles& files) const;
  void write_patch(const std::string& text) const;

  const FixOptions& options_;
  std::filesystem::path directory_;
  std::filesystem::path program_;
  std::vector<std::string> arguments_;
  std::optional<EditTool> tool_;
  std::vector<EditPlan> plans_;
  std::vector<Verdict> verdicts_;
  std::vector<std::string> released_;  // names of what is not brought back any more
  std::optional<Progress> progress_;
};

}  // namespace ompdm::cli
