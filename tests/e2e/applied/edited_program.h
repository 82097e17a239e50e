// Programs recorded, as they are and built of patched sources.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "programs.h"
#include "run.h"

namespace ompdm::e2e {

/// What a program did under `ompdm record`, in a folder that has its trace.
class Recording {
 public:
  /// `path`: of the program. The report is made with its sources.
  Recording(const AppliedProgram& program, const std::string& path, const AppliedRun& run);

  /// What `ompdm fix` writes of these findings, by their numbers from 1; of all, if there are none.
  /// Empty: nothing.
  [[nodiscard]] std::string patch(const std::vector<std::size_t>& only = {}) const;

  int status = 0;
  std::string out;        ///< without times
  nlohmann::json report;  ///< null: none
  std::string complaint;  ///< why not

 private:
  Folder folder_;
};

/// The patched sources among the others of their folders, and what is built of them.
class EditedProgram {
 public:
  EditedProgram(const AppliedProgram& program, const std::string& patch);

  /// The compiler's; empty: it is built.
  [[nodiscard]] const std::string& complaint() const { return complaint_; }
  [[nodiscard]] const std::string& path() const { return path_; }
  /// Bytes that updates moved which the patch has added.
  [[nodiscard]] std::uint64_t moved_by_updates(const nlohmann::json& report) const;

 private:
  void copy_sources(const AppliedProgram& program) const;
  void note_updates(const AppliedProgram& program);
  void build(const AppliedProgram& program);

  Folder folder_;
  std::map<std::string, std::set<int>> updates_;  ///< their lines, by file
  std::string path_;
  std::string complaint_;
};

}  // namespace ompdm::e2e
