// A folder to run programs in, with the recorder attached in one of the ways that users have, and
// what came of it.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "run.h"

namespace ompdm::e2e::endings {

using Json = nlohmann::json;

/// How the recorder comes in.
enum class Attach {
  kNone,           ///< not at all: what the program does by itself
  kRecord,         ///< ompdm record PROGRAM
  kPreload,        ///< LD_PRELOAD=libompdm.so alone
  kToolLibraries,  ///< OMP_TOOL_LIBRARIES=libompdm.so, and libomp.so within reach
};

/// A name for GoogleTest's parameters and messages.
std::string name_of(Attach attach);

struct Start {
  std::vector<std::string> command = {};
  Attach attach = Attach::kPreload;
  std::vector<std::string> record_options = {};
  std::map<std::string, std::string> environment = {};  ///< beside what attaches
  std::function<void()> before_exec = {};               ///< in the child
  bool waits = true;  ///< for the trace too, where another process writes it
};

/// A folder to run in; a fresh one is removed with the object.
class Place {
 public:
  Place();
  /// A folder that was there before, and stays.
  explicit Place(std::filesystem::path folder);

  [[nodiscard]] const std::filesystem::path& path() const { return folder_; }

  /// Runs the command here, waits, and fails the test if it takes a minute.
  Ended run(const Start& run) const;

  /// Runs `ompdm` itself.
  Ended ompdm(std::vector<std::string> arguments) const;

  /// `ompdm report --format json` of these traces.
  Json report(const std::vector<std::string>& traces = {"trace.json"}) const;

  /// Names of the files here, sorted.
  [[nodiscard]] std::vector<std::string> files() const;

 private:
  std::optional<Folder> own_;
  std::filesystem::path folder_;
};

/// The path of a program of endings.cmake.
std::string program(const std::string& name);

/// Folder with a libomp.so, and the recorder.
std::string runtime_folder();
std::string recorder();

/// The number of the line of a program's source that holds `text`; 0 if none does.
int source_line(const std::string& source, const std::string& text);

/// What the first trace of a report has lost: names with counts, none for nothing.
Json losses(const Json& report);

/// Expects `count` steps (steps.h), each 4000 bytes both ways, and no loss.
void expect_steps(const Json& report, int count);

}  // namespace ompdm::e2e::endings
