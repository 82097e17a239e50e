// Runs a program as if the shell had: same terminal, same process group, same signals, and an exit
// status that tells how it ended.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "attach.h"

namespace ompdm::cli {

/// How a launched program ended.
struct Ending {
  pid_t pid = 0;        ///< 0: it was never started
  int exit_status = 0;  ///< its own; 128 + signal; 127 not found; 126 not executable
  int signal = 0;       ///< that killed it, 0 if it exited
  std::string failure;  ///< why it could not be started, empty if it was
};

/// Where execvp would find the program; empty if nowhere.
std::filesystem::path find_program(const std::string& program);

/// What to say of a program that is nowhere: "heat: not found: did you mean ./heat?".
std::string not_found(const std::string& program);

/// What a launched program writes to.
enum class Output {
  kInherited,
  kDiscarded,  ///< standard output and error go nowhere
};

/// Runs `command` (program and arguments) with the environment changed and waits for it. Signals
/// sent to this process meanwhile are passed on; those from the terminal reach the program by
/// themselves.
Ending launch(const std::vector<std::string>& command, const EnvironmentChange& change,
              Output output = Output::kInherited);

}  // namespace ompdm::cli
