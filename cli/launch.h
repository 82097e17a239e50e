// Starting a program, and what was meant where its name is none.
#pragma once

#include <sys/types.h>

#include <array>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include "attach.h"
#include "ompdm/error.h"

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

namespace CLI {

class App;
class ParseError;

}  // namespace CLI

namespace ompdm::cli {

/// Of `words`, what stands behind `ompdm`, whose first is no verb: a misspelt one, a program that
/// is to be recorded, or a trace that is to be shown.
Error no_such_verb(const CLI::App& app, const std::vector<std::string>& words);

/// Of a word with a dash that `verb` (or the command itself) has no option for.
Error no_such_option(const CLI::App& verb, const std::string& word);

/// Of the words of a verb that runs a program: throws where the first is an option that `verb` does
/// not have.
void check_program_words(const CLI::App& verb, const std::vector<std::string>& words);

/// Of words that `app` could not parse; a misspelt option first, whatever else was missed.
Error cannot_parse(const CLI::App& app, const CLI::ParseError& error);

}  // namespace ompdm::cli
