// Starts the program that is recorded, and child processes that `ompdm` runs for itself.
#pragma once

#include <sys/types.h>

#include <array>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ompdm/error.h"

namespace ompdm::cli {

/// Variables to set (name, value) and to remove for the program.
struct EnvironmentChange {
  std::vector<std::pair<std::string, std::string>> set;
  std::vector<std::string> unset;
};

/// The value of an environment variable; empty where it is not set.
std::string variable(const char* name);

/// Writes all of a text to a descriptor. False where that fails; errno has the cause.
bool write_all(int file, std::string_view text);

/// A file descriptor that the destructor closes.
struct Descriptor {
  explicit Descriptor(int opened) : number(opened) {}
  ~Descriptor();
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int number;  ///< negative: none
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

/// The file that execvp would run; empty if there is none.
std::filesystem::path find_program(const std::string& program);

/// The program whose name is most similar, as a user would type it. It is in the folder that
/// `program` names. Otherwise it is in the current folder (`./heat`) or on PATH. Empty if none is
/// similar.
std::string near_program(const std::string& program);

/// The message for a program that is not found: "heat: not found: did you mean ./heat?".
std::string not_found(const std::string& program);

/// Where standard output and error of a launched program go.
enum class Output {
  kInherited,
  kDiscarded,  ///< standard output and error go nowhere
};

/// Forwards signals to the program that launch() runs, for as long as the object exists. A signal
/// that comes before the program's start is kept for it. A signal after the program's end has no
/// effect of its own, so that the recording can be finished: see wait_for(). Signals from the
/// terminal are not forwarded, since the terminal sends them to the program too. One object at a
/// time.
class SignalForwarding {
 public:
  SignalForwarding();
  ~SignalForwarding();
  SignalForwarding(const SignalForwarding&) = delete;
  SignalForwarding& operator=(const SignalForwarding&) = delete;

  static constexpr std::array kSignals = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};

  /// Restores the signal actions that this process inherited. Async-signal-safe.
  void restore() const;

  enum class Came { kInput, kSignal, kNothing };

  /// Waits until `file` can be read, or has no writer any more. Also returns where a signal that
  /// would end this process has come since the program's end. Waits for `at_most` (negative:
  /// without a limit).
  [[nodiscard]] Came wait_for(int file, std::chrono::milliseconds at_most) const;

 private:
  std::array<struct sigaction, kSignals.size()> inherited_;
  struct sigaction of_children_;  ///< action of SIGCHLD; if it is ignored, the program's exit
                                  ///< status is lost
};

/// Runs `command` (program and arguments) with the environment changed, and waits for its end.
/// `signals` forwards signals meanwhile.
Ending launch(const std::vector<std::string>& command, const EnvironmentChange& change,
              const SignalForwarding& signals, Output output = Output::kInherited);

/// The state of the work when waiting for it ended.
struct DetachedWork {
  std::vector<std::string> lines;  ///< its lines, if it is done
  bool left = false;               ///< a signal came first, and the work continues
  bool died = false;               ///< it was killed, as for lack of memory
};

/// Does `work` in a child process with a session of its own and without streams. Waits for its
/// lines, or for a signal that would end this process. Calls `slow` once after a second. Does the
/// work in this process if none can be started.
DetachedWork run_detached(const std::function<std::vector<std::string>()>& work,
                          const SignalForwarding& signals, const std::function<void()>& slow);

/// The files that a child sees, and where it may write.
struct View {
  /// What keeps a child from changing files outside of its scratch folder.
  enum class Guard {
    kNone,
    kMounts,    ///< all other mounts are read-only; folders for temporary files are private
    kLandlock,  ///< the kernel refuses writes elsewhere
  };
  std::filesystem::path copy;     ///< of the tree
  std::filesystem::path seen_at;  ///< where the child sees the copy as well; empty: nowhere else
  std::filesystem::path scratch;  ///< the folder that holds the copy; the child may write there
  Guard guard = Guard::kNone;
};

/// Whether this machine can give a process the view: by mount namespaces (in a user namespace where
/// the user is not root), or by Landlock.
bool can_view(const View& view);

/// A command whose output is captured.
struct Child {
  std::vector<std::string> command;
  std::filesystem::path directory;
  std::vector<std::pair<std::string, std::string>> environment = {};  ///< variables that are set in
                                                                      ///< addition
  std::string input = {};
  const View* view = nullptr;  ///< null: the child sees all files, and may change them
};

struct ChildEnd {
  int exit_status = 0;  ///< 128 + signal of one that was killed; 127: the command is not found
  std::string output;
  std::string errors;
  std::chrono::nanoseconds wall{};
};

/// Runs the child in a process group of its own and waits for its end, then kills the rest of the
/// group. Throws Error where the child cannot be started, and where the user has asked to stop (see
/// Stopping).
ChildEnd run_child(const Child& child);

/// A child process that answers each line with a line, until this object's end.
class Dialogue {
 public:
  /// Starts the child; its `input` is not used. Throws Error where it cannot be started.
  explicit Dialogue(const Child& child);
  ~Dialogue();
  Dialogue(const Dialogue&) = delete;
  Dialogue& operator=(const Dialogue&) = delete;

  /// The answer to a line. Throws Error where the child ends instead, with its error output, and
  /// where the user has asked to stop.
  std::string ask(const std::string& line);

 private:
  std::string name_;
  int errors_ = -1;  ///< a file
  int socket_ = -1;
  pid_t pid_ = 0;
  std::string read_;  ///< text behind the last answer
};

/// While the object exists, SIGINT, SIGTERM and SIGHUP kill the running child. run_child() and
/// Dialogue::ask() then throw, so that destructors remove temporary files.
class Stopping {
 public:
  Stopping();
  ~Stopping();
  Stopping(const Stopping&) = delete;
  Stopping& operator=(const Stopping&) = delete;
};

}  // namespace ompdm::cli
