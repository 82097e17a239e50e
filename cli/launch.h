// Starting a program that is recorded, and children that `ompdm` runs for itself.
#pragma once

#include <sys/types.h>

#include <array>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "ompdm/error.h"

namespace ompdm::cli {

/// Variables to set (name, value) and to remove for the program.
struct EnvironmentChange {
  std::vector<std::pair<std::string, std::string>> set;
  std::vector<std::string> unset;
};

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

/// The program that is nearest to a name that leads to none, as one would type it: in the folder
/// that is named, else here (`./heat`) or on PATH. Empty if none is near.
std::string near_program(const std::string& program);

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

/// Which files a child sees, and where it may write.
struct View {
  /// What keeps a child from changing files outside of its scratch folder.
  enum class Guard {
    kNone,
    kMounts,    ///< all other mounts are read-only; folders for temporary files are private
    kLandlock,  ///< the kernel refuses to write elsewhere
  };
  std::filesystem::path copy;     ///< of the tree
  std::filesystem::path seen_at;  ///< where the child sees the copy, too; empty: nowhere else
  std::filesystem::path scratch;  ///< the folder that holds the copy; the child may write there
  Guard guard = Guard::kNone;
};

/// Whether this machine lets a process have such a view: by mount namespaces (of its own users
/// where the user is not root), or by Landlock.
bool can_view(const View& view);

/// Called in a child before it runs anything. False where this machine does not allow the view:
/// then the child must run nothing.
bool take_view(const View& view);

/// A command that runs with what it writes kept.
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
