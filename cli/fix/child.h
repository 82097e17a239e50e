// Runs a command for `ompdm fix` with its output kept, in a folder that may stand in for another
// one.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "fix/view.h"

namespace ompdm::cli {

struct Child {
  std::vector<std::string> command;
  std::filesystem::path directory;
  std::vector<std::pair<std::string, std::string>> environment = {};  ///< set besides what is there
  std::string input = {};
  const View* view = nullptr;  ///< null: it sees what is there, and may change it
};

struct ChildEnd {
  int exit_status = 0;  ///< 128 + signal of one that was killed; 127: the command is not found
  std::string output;
  std::string errors;
  std::chrono::nanoseconds wall{};
};

/// Waits for it. Throws Error where it cannot be started, and once the user has asked to stop
/// (SIGINT, SIGTERM, SIGHUP): then nothing of it runs any more.
ChildEnd run_child(const Child& child);

/// While it lives, signals that ask to stop end the running child and make run_child() throw, so
/// that what was made is removed on the way out.
class Stopping {
 public:
  Stopping();
  ~Stopping();
  Stopping(const Stopping&) = delete;
  Stopping& operator=(const Stopping&) = delete;
};

}  // namespace ompdm::cli
