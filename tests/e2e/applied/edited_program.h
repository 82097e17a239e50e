// Programs recorded, as they are and built of edited sources.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "applier.h"
#include "programs.h"
#include "run.h"

namespace ompdm::e2e {

/// What a program did under `ompdm record`.
struct Recording {
  int status = 0;
  std::string out;                          ///< without times
  nlohmann::json report;                    ///< null: none
  std::string complaint;                    ///< why not
  std::vector<std::string> printed_faults;  ///< where these are asked for
};

/// `looks_at_print`: whether the code that is printed is held against the edits.
Recording record(const AppliedProgram& program, const std::string& path, const AppliedRun& run,
                 bool looks_at_print = false);

/// The edited sources among the others of their folders, and what is built of them.
class EditedProgram {
 public:
  EditedProgram(const AppliedProgram& program, const Applier& applier);

  /// The compiler's; empty: it is built.
  [[nodiscard]] const std::string& complaint() const { return complaint_; }
  [[nodiscard]] const std::string& path() const { return path_; }

  /// Bytes that directives moved which were inserted on a condition.
  [[nodiscard]] std::uint64_t moved_on_condition(const nlohmann::json& report) const;

 private:
  void write(const AppliedProgram& program, const Applier& applier);
  void build(const AppliedProgram& program);

  Folder folder_;
  std::map<std::string, std::set<int>> on_condition_;  ///< lines, by file
  std::string path_;
  std::string complaint_;
};

}  // namespace ompdm::e2e
