// Runs a program as if the shell had: same terminal, same process group, same signals, and an exit
// status that tells how it ended.
#pragma once

#include <sys/types.h>

#include <array>
#include <chrono>
#include <csignal>
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

/// "was killed by signal 11 (Segmentation fault)" or "exited with 3".
std::string how_it_ended(const Ending& ending);

/// Where execvp would find the program; empty if nowhere.
std::filesystem::path find_program(const std::string& program);

/// What to say of a program that is nowhere: "heat: not found: did you mean ./heat?".
std::string not_found(const std::string& program);

/// What a launched program writes to.
enum class Output {
  kInherited,
  kDiscarded,  ///< standard output and error go nowhere
};

/// While it lives, a signal that would end or speak to this process is passed on to the program
/// that launch() runs. One that comes before the program has started waits for it; one that comes
/// after its end does nothing by itself, so that what it left can be put in order: see wait_for().
/// Signals from the terminal are not passed on: the program has them already. One at a time.
class SignalForwarding {
 public:
  SignalForwarding();
  ~SignalForwarding();
  SignalForwarding(const SignalForwarding&) = delete;
  SignalForwarding& operator=(const SignalForwarding&) = delete;

  static constexpr std::array kSignals = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};

  /// Back to what this process inherited. Async-signal-safe.
  void restore() const;

  enum class Came { kInput, kSignal, kNothing };

  /// Waits until `file` can be read, or has no writer any more, or a signal that would end this
  /// process has come since the program's end, but no longer than `at_most` (negative: for ever).
  [[nodiscard]] Came wait_for(int file, std::chrono::milliseconds at_most) const;

 private:
  std::array<struct sigaction, kSignals.size()> inherited_;
  struct sigaction of_children_;  ///< SIGCHLD's; ignored, it would cost the program's exit status
};

/// Runs `command` (program and arguments) with the environment changed and waits for it. Signals
/// sent to this process meanwhile are passed on; those from the terminal reach the program by
/// themselves.
Ending launch(const std::vector<std::string>& command, const EnvironmentChange& change,
              const SignalForwarding& signals, Output output = Output::kInherited);

}  // namespace ompdm::cli
