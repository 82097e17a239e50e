// What came of each finding's edits, and of all of them together: the table, and a patch's head.
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

/// What came of a changed program.
struct Measured {
  bool verified = false;
  std::string why;  ///< where it was not: what is different
  Movement before;
  Movement after;
  Times times;
  std::set<std::string> unseen;  ///< names of what came back last and was not compared
  std::string lost;              ///< the name of what does not come back, if that is why

  /// Bytes that are no longer transferred.
  [[nodiscard]] std::uint64_t spared() const;
};

/// A finding, its edits, and what came of them.
struct Verdict {
  EditPlan plan;        ///< its `refused` says why there is none, or why it was not tried
  SourceState source;   ///< whether the sources are those of the recording
  std::string place;    ///< "heat.cpp:56"
  std::string what;     ///< the pattern
  std::string subject;  ///< the same in another round: pattern, function and data, without lines
  std::set<std::string> variables;  ///< ids of those that it is about
  /// Bytes of redundant transfers; nullopt: the finding is about memory.
  std::optional<std::uint64_t> promised;
  bool was_tried = false;
  bool waits = false;  ///< for the next round
  bool verified = false;
  std::string why;                        ///< of one that was tried and not verified
  std::optional<std::uint64_t> spared;    ///< bytes that its trial spared, of it and those with it
  std::optional<std::size_t> tried_with;  ///< the finding whose trial it was in, too

  [[nodiscard]] bool is_open() const { return plan.refused.empty(); }
  [[nodiscard]] bool is_planned() const { return is_open() && !plan.replacements.empty(); }
};

/// Verdicts of a finding of the JSON report, before anything is planned.
Verdict verdict_on(const nlohmann::json& finding, std::size_t number);

/// All edits that were verified.
struct Together {
  ChangedFiles files;              ///< with all of them
  Measured measured;               ///< not verified: no edit was
  std::set<std::string> assumed;   ///< what they rest on and no source shows
  std::set<std::string> released;  ///< names of variables that are no longer copied back
};

/// "Finding  Where  Promised  Measured  Verdict". `of_other_runs`: what was measured is not of the
/// run that the promise is of.
std::string verdict_table(const std::vector<Verdict>& verdicts, bool of_other_runs);

/// "288 MB of 320 MB no longer cross (36 of 40 transfers); the run takes 70.1 ms instead of 152
/// ms".
std::string spared_sentence(const Measured& measured);

/// The lines before the diff of what was verified with the target's commands.
std::string verified_head(const Target& target, const Together& made);

}  // namespace ompdm::cli
