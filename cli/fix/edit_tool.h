// The program that plans edits of sources.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "fix/compile_arguments.h"
#include "launch.h"
#include "ompdm/trace.h"
#include "source_lines.h"

namespace ompdm::cli {

struct SourceState {
  std::string obstacle;      ///< a sentence with a remedy; empty: the sources are the same
  bool may_be_same = false;  ///< a source is newer: only a build shows whether anything changed
};

/// Whether the sources of a finding are those of the recording.
SourceState source_state(const nlohmann::json& finding, const SourceLines& sources,
                         const Process& process);

/// Whether two builds are of the same sources: all their code and all its lines are equal. (Kernels
/// are named by their source's inode, so that copies are never equal to the last byte.)
bool is_of_same_sources(const std::filesystem::path& one, const std::filesystem::path& other);

struct Replacement {
  std::string file;
  std::size_t offset = 0;
  std::size_t length = 0;
  std::string text;
  bool behind = false;  ///< it belongs to the code before it

  bool operator==(const Replacement&) const = default;
};

/// The edits of one finding, or why they cannot be made.
struct EditPlan {
  std::size_t number = 0;    ///< of the finding in the report, from 1
  std::string refused = {};  ///< a sentence with its place; empty: the plan can be made
  std::vector<Replacement> replacements = {};
  /// Variables that are copied back after a loop, and that its function does not read there.
  std::vector<std::string> returned = {};
  std::size_t updates = 0;  ///< number of updates that are added for the host
  /// Data that is not changed, each with the statement in the way: "y[0:n]: cg.c:12: ...".
  std::vector<std::string> left_out = {};
  /// Assumptions that no source shows, each with its place: "... (cg.c:12)".
  std::vector<std::string> assumed = {};
  bool is_compiled = true;               ///< false: the source does not compile, which is why it is
                                         ///< refused
  std::vector<std::size_t> joined = {};  ///< further findings whose edits it has
};

/// Replaces the path of each place by that of the file on this machine, and adds the file to
/// `near`. The file may be newer than the program.
void resolve_places(nlohmann::json& json, const SourceLines& sources,
                    std::vector<std::filesystem::path>& near);

/// Variables that are not copied back, or that are overwritten on the host to see whether code
/// reads them.
struct EditOptions {
  std::vector<std::string> released;
  bool spoil = false;
  std::size_t most_joined = 1000;  ///< limit of sources that are parsed as one unit, where one
                                   ///< source alone is refused
};

/// The process of ompdm-edit. The first request starts it, and it keeps the units that it has
/// parsed.
class EditProcess {
 public:
  /// The answer to a request (edit/messages.h). Throws Error where ompdm-edit is not installed, or
  /// fails.
  nlohmann::json ask(const nlohmann::json& request);
  /// Identifies the installed ompdm-edit by its size and age. Throws Error where none is installed.
  static std::string identity();

 private:
  std::unique_ptr<Dialogue> running_;
};

/// A translation unit in the format of requests.
nlohmann::json unit_json(const CompileArguments& unit);

class EditTool {
 public:
  /// `findings` are those of the JSON report. `process` must outlive this.
  EditTool(nlohmann::json findings, CompileCommands commands, EditProcess& process);

  /// Plans may rest on assumptions that no source shows. A run has to confirm them.
  void allow_assumptions() { may_assume_ = true; }
  /// Plans assert their assumptions where they can be tested.
  void add_asserts() { asserts_ = true; }
  /// Adds how a build compiled its sources.
  void add_seen(std::vector<CompileArguments> seen);

  [[nodiscard]] EditPlan plan(std::size_t number, const EditOptions& options = {}) const;
  /// One plan for several findings that change clauses of the same directives. Refused where any
  /// finding changes more.
  [[nodiscard]] EditPlan joint_plan(const std::vector<std::size_t>& numbers) const;
  /// Source files that a finding's edits name.
  [[nodiscard]] std::vector<std::filesystem::path> files_of(std::size_t number) const;
  [[nodiscard]] std::size_t size() const { return findings_.size(); }
  [[nodiscard]] const nlohmann::json& finding(std::size_t number) const {
    return findings_.at(number - 1);
  }

 private:
  [[nodiscard]] nlohmann::json ask(const SourceUnit& unit, std::size_t number,
                                   const EditOptions& options) const;
  [[nodiscard]] const nlohmann::json& answer_to(const nlohmann::json& request) const;
  [[nodiscard]] EditPlan plan_in(const std::vector<SourceUnit>& units, std::size_t number,
                                 const EditOptions& options) const;
  [[nodiscard]] EditPlan plan_of(std::size_t number, const CompileArguments& unit,
                                 const nlohmann::json& answer) const;
  [[nodiscard]] std::string uncompiled(const CompileArguments& unit,
                                       const std::string& error) const;

  nlohmann::json findings_;
  CompileCommands commands_;
  bool is_seen_ = false;  ///< a build was seen
  bool may_assume_ = false;
  bool asserts_ = false;
  EditProcess& process_;
  mutable std::map<std::string, nlohmann::json> answers_;  // by the request
};

}  // namespace ompdm::cli
