// The results of each finding's edits, and of all edits together: the table, and a patch's head.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "fix/edit_tool.h"
#include "fix/sandbox.h"
#include "fix/times.h"

namespace ompdm::cli {

/// The result for a changed program.
struct Measured {
  bool verified = false;
  std::string why;  ///< where it was not verified: the difference
  Movement before;
  Movement after;
  Times times;
  std::set<std::string> unseen;  ///< variables whose last copy back was not compared
  std::string lost;              ///< the variable that is not copied back, if that is why

  /// Bytes that are no longer transferred.
  [[nodiscard]] std::uint64_t spared() const;
};

/// A finding, its edits, and their result.
struct Verdict {
  EditPlan plan;        ///< `refused`: why there is no plan, or why it was not tried
  SourceState source;   ///< whether the sources are those of the recording
  std::string place;    ///< "heat.cpp:56"
  std::string what;     ///< the pattern
  std::string subject;  ///< identifies it in another round: pattern, function and data, without
                        ///< lines
  std::set<std::string> variables;  ///< ids of its variables
  /// Bytes of redundant transfers; nullopt: the finding is about memory.
  std::optional<std::uint64_t> promised;
  bool was_tried = false;
  bool waits = false;  ///< for the next round
  bool verified = false;
  std::string why;                        ///< where it was tried and not verified
  std::optional<std::uint64_t> spared;    ///< bytes spared by it and the findings tried with it
  std::optional<std::size_t> tried_with;  ///< the first finding of the same group

  [[nodiscard]] bool is_open() const { return plan.refused.empty(); }
  [[nodiscard]] bool is_planned() const { return is_open() && !plan.replacements.empty(); }
};

/// The verdict on a finding of the JSON report, before anything is planned.
Verdict verdict_on(const nlohmann::json& finding, std::size_t number);

/// All verified edits together.
struct Together {
  ChangedFiles files;              ///< the changed files
  Measured measured;               ///< not verified: no edit was
  std::set<std::string> assumed;   ///< assumptions that no source shows
  std::set<std::string> released;  ///< names of variables that are no longer copied back
};

/// The table "Finding Where Promised Measured Verdict". `of_other_runs`: the measured runs are not
/// the run of the promise.
std::string verdict_table(const std::vector<Verdict>& verdicts, bool of_other_runs);

/// "288 MB of 320 MB are no longer transferred (4 instead of 40 transfers); the run takes 70.1 ms
/// instead of 152 ms".
std::string spared_sentence(const Measured& measured);

/// The lines before the diff of edits that were verified with the target's commands.
std::string verified_head(const Target& target, const Together& made);

}  // namespace ompdm::cli
