#include "launch.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "near_program.h"
#include "ompdm/error.h"

namespace ompdm::cli {
namespace {

namespace fs = std::filesystem;

enum class Phase { kBefore, kRunning, kAfter };

std::atomic<Phase> phase{Phase::kBefore};
std::atomic<pid_t> running{0};
std::atomic<int> waiting{0};  ///< a signal that came before the program had started
std::atomic<int> late{0};     ///< one that came after its end
static_assert(std::atomic<pid_t>::is_always_lock_free && std::atomic<Phase>::is_always_lock_free);

void forward(int signal, siginfo_t* info, void*) {
  // What the terminal sends (SI_KERNEL) goes to the whole foreground group, so the program has it.
  const int saved = errno;
  const bool from_terminal = info->si_code > 0;
  if (phase.load() == Phase::kBefore) {
    waiting.store(signal);
  } else if (phase.load() == Phase::kRunning && !from_terminal && info->si_pid != running.load()) {
    ::kill(running.load(), signal);
  } else if (phase.load() == Phase::kAfter && signal != SIGUSR1 && signal != SIGUSR2) {
    late.store(signal);
  }
  errno = saved;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (std::string& text : texts) list.push_back(text.data());
  list.push_back(nullptr);
  return list;
}

std::vector<std::string> changed_environment(const EnvironmentChange& change) {
  std::vector<std::string> environment;
  const auto is_changed = [&](std::string_view setting) {
    const std::string_view name = setting.substr(0, setting.find('='));
    for (const auto& [set, value] : change.set) {
      if (name == set) return true;
    }
    for (const std::string& unset : change.unset) {
      if (name == unset) return true;
    }
    return false;
  };
  for (char** setting = environ; *setting != nullptr; ++setting) {
    if (!is_changed(*setting)) environment.emplace_back(*setting);
  }
  for (const auto& [name, value] : change.set) environment.push_back(name + '=' + value);
  return environment;
}

Ending not_started(const std::string& program, int error) {
  Ending ending;
  if (error == ENOENT || error == ENOTDIR) {
    ending.exit_status = 127;
    ending.failure = not_found(program);
  } else {
    ending.exit_status = 126;
    ending.failure = program + ": cannot be executed (" + std::strerror(error) +
                     "): name a program, or make it executable (chmod +x)";
  }
  return ending;
}

void discard_output() {
  const int nowhere = ::open("/dev/null", O_WRONLY);
  if (nowhere < 0) return;
  ::dup2(nowhere, STDOUT_FILENO);
  ::dup2(nowhere, STDERR_FILENO);
  ::close(nowhere);
}

int wait_for(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR)
      throw Error(std::string("the program cannot be waited for: ") + std::strerror(errno));
  }
  return status;
}

/// From here on the program gets the signals, the early one too. Called with them held back.
void start_forwarding(pid_t pid) {
  running.store(pid);
  phase.store(Phase::kRunning);
  if (const int signal = waiting.exchange(0); signal != 0) ::kill(pid, signal);
}

}  // namespace

SignalForwarding::SignalForwarding() {
  phase.store(Phase::kBefore);
  waiting.store(0);
  late.store(0);
  struct sigaction action = {};
  action.sa_sigaction = forward;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], nullptr, &inherited_[i]);
    // An ignored signal stays ignored (nohup).
    if (inherited_[i].sa_handler != SIG_IGN) ::sigaction(kSignals[i], &action, nullptr);
  }
  struct sigaction untouched = {};
  untouched.sa_handler = SIG_DFL;
  ::sigaction(SIGCHLD, &untouched, &of_children_);
}

SignalForwarding::~SignalForwarding() { restore(); }

void SignalForwarding::restore() const {
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], &inherited_[i], nullptr);
  }
  ::sigaction(SIGCHLD, &of_children_, nullptr);
}

SignalForwarding::Came SignalForwarding::wait_for(int file,
                                                  std::chrono::milliseconds at_most) const {
  // Held back but while we wait, so that none can come between the look and the wait.
  sigset_t held;
  sigset_t before;
  sigemptyset(&held);
  for (const int signal : kSignals) sigaddset(&held, signal);
  ::sigprocmask(SIG_BLOCK, &held, &before);
  const timespec limit{at_most.count() / 1000, (at_most.count() % 1000) * 1'000'000};
  pollfd input{file, POLLIN, 0};
  int ready = 0;
  do {
    ready =
        late.load() != 0 ? 0 : ::ppoll(&input, 1, at_most.count() < 0 ? nullptr : &limit, &before);
  } while (ready < 0 && late.load() == 0);
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  if (late.load() != 0) return Came::kSignal;
  return ready > 0 ? Came::kInput : Came::kNothing;
}

std::string how_it_ended(const Ending& ending) {
  if (ending.signal == 0) return "exited with " + std::to_string(ending.exit_status);
  return "was killed by signal " + std::to_string(ending.signal) + " (" +
         ::strsignal(ending.signal) + ")";
}

fs::path find_program(const std::string& program) {
  if (program.find('/') != std::string::npos) {
    std::error_code error;
    return fs::exists(program, error) ? fs::path(program) : fs::path();
  }
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "/usr/local/bin:/bin:/usr/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path candidate = (folder.empty() ? fs::path(".") : fs::path(folder)) / program;
    std::error_code error;
    if (fs::is_regular_file(candidate, error) && ::access(candidate.c_str(), X_OK) == 0) {
      return candidate;
    }
  }
  return {};
}

std::string not_found(const std::string& program) {
  std::error_code error;
  const bool is_name = program.find('/') == std::string::npos;
  if (is_name && fs::is_regular_file(program, error)) {
    return program + ": not found on PATH: did you mean ./" + program + "?";
  }
  if (!is_name && fs::is_regular_file(program, error)) {
    return program + ": the interpreter that it asks for is not found: see its first line";
  }
  const std::string near = near_program(program);
  return program + ": not found: " +
         (near.empty() ? "check the name and PATH" : "did you mean " + near + "?");
}

Ending launch(const std::vector<std::string>& command, const EnvironmentChange& change,
              const SignalForwarding& signals, Output output) {
  std::vector<std::string> words = command;
  std::vector<std::string> settings = changed_environment(change);
  const std::vector<char*> arguments = pointers(words);
  const std::vector<char*> environment = pointers(settings);
  int failure[2];
  if (::pipe2(failure, O_CLOEXEC) != 0) {
    throw Error(std::string("no pipe can be made: ") + std::strerror(errno));
  }

  // Held back until the program's pid is known, so that a signal in between is not lost.
  sigset_t held;
  sigset_t inherited_mask;
  sigemptyset(&held);
  for (const int signal : SignalForwarding::kSignals) sigaddset(&held, signal);
  ::sigprocmask(SIG_BLOCK, &held, &inherited_mask);
  const pid_t pid = ::fork();
  if (pid == 0) {
    signals.restore();
    ::sigprocmask(SIG_SETMASK, &inherited_mask, nullptr);
    if (output == Output::kDiscarded) discard_output();
    ::execvpe(arguments[0], arguments.data(), environment.data());
    const int error = errno;
    const ssize_t told = ::write(failure[1], &error, sizeof error);
    ::_exit(told == sizeof error ? 127 : 126);
  }
  const int fork_error = errno;
  if (pid > 0) start_forwarding(pid);
  ::sigprocmask(SIG_SETMASK, &inherited_mask, nullptr);
  ::close(failure[1]);
  int error = 0;
  ssize_t got = 0;
  while (pid > 0 && (got = ::read(failure[0], &error, sizeof error)) < 0 && errno == EINTR) {
  }
  ::close(failure[0]);
  if (pid < 0) throw Error(std::string("no process can be started: ") + std::strerror(fork_error));

  const int status = wait_for(pid);
  phase.store(Phase::kAfter);
  if (got == sizeof error) return not_started(command[0], error);
  Ending ending;
  ending.pid = pid;
  ending.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  ending.exit_status = WIFSIGNALED(status) ? 128 + ending.signal : WEXITSTATUS(status);
  return ending;
}

}  // namespace ompdm::cli
