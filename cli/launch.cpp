#include "launch.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "ompdm/finish.h"
#include "ompdm/report.h"
#include "ompdm/trace_file.h"
#include "open_trace.h"
#include "printable.h"

namespace ompdm::cli {

namespace {

namespace fs = std::filesystem;

void add_programs(const fs::path& folder, std::vector<std::string>& names) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder.empty() ? "." : folder, error)) {
    if (entry.is_regular_file(error) && ::access(entry.path().c_str(), X_OK) == 0) {
      names.push_back(entry.path().filename());
    }
  }
}

std::string near_on_path(const std::string& program) {
  std::vector<std::string> names;
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) add_programs(folder, names);
  return nearest(program, names, 1);  // of thousands one is always near
}

/// The program that is nearest to a name that leads to none, as one would type it: in the folder
/// that is named, else here (`./heat`) or on PATH. Empty if none is near.
std::string near_program(const std::string& program) {
  const std::size_t slash = program.rfind('/');
  const std::string folder = slash == std::string::npos ? "" : program.substr(0, slash + 1);
  std::vector<std::string> names;
  add_programs(folder, names);
  const std::string name = program.substr(folder.size());
  // A script whose interpreter is missing is not what was meant by its own name.
  if (const std::string here = nearest(name, names); !here.empty() && here != name) {
    return (folder.empty() ? "./" : folder) + here;
  }
  if (!folder.empty()) return {};
  std::error_code error;
  if (fs::is_regular_file(program, error)) return "./" + program;
  return near_on_path(program);
}

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

namespace {

namespace fs = std::filesystem;

/// "ompdm" or "ompdm report".
std::string typed_name(const CLI::App& verb) {
  return verb.get_parent() == nullptr ? verb.get_name() : "ompdm " + verb.get_name();
}

/// "report: " of a verb, nothing of the command itself.
std::string prefix_of(const CLI::App& verb) {
  return verb.get_parent() == nullptr ? "" : verb.get_name() + ": ";
}

std::string joined(std::string line, const std::vector<std::string>& words) {
  for (const std::string& word : words) line += ' ' + shell_word(word);
  return line;
}

/// The whole command that was meant, without `ompdm`; empty if none is known.
std::string meant_command(const CLI::App& app, const std::vector<std::string>& words) {
  const std::string& word = words.front();
  std::vector<std::string> verbs;
  for (const CLI::App* verb : app.get_subcommands({})) {
    if (!verb->get_group().empty()) verbs.push_back(verb->get_name());
  }
  if (const std::string verb = nearest(word, verbs); !verb.empty()) return verb;
  if (is_trace(word) || is_spool(word)) return joined("report", words);
  std::vector<std::string> command = words;
  if (find_program(word).empty()) command.front() = near_program(word);
  std::error_code error;
  if (command.front().empty() || fs::is_directory(command.front(), error)) return {};
  return joined("record", command);
}

}  // namespace

Error no_such_verb(const CLI::App& app, const std::vector<std::string>& words) {
  refuse_timeline(words.front());
  const std::string meant = meant_command(app, words);
  const std::string remedy =
      meant.empty() ? "see `ompdm --help`" : fmt::format("did you mean `ompdm {}`?", meant);
  return Error(fmt::format("{}: no such command: {}", words.front(), remedy), Error::Kind::kUsage);
}

Error no_such_option(const CLI::App& verb, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::Option* option : verb.get_options()) {
    if (option->get_group().empty()) continue;
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  const std::string name = word.substr(0, word.find('='));
  const std::string meant = nearest(name, names);
  const std::string remedy = meant.empty() ? fmt::format("see `{} --help`", typed_name(verb))
                                           : fmt::format("did you mean {}?", meant);
  return Error(fmt::format("{}{}: no such option: {}", prefix_of(verb), name, remedy),
               Error::Kind::kUsage);
}

void check_program_words(const CLI::App& verb, const std::vector<std::string>& words) {
  if (!words.empty() && words.front().starts_with('-')) throw no_such_option(verb, words.front());
}

Error cannot_parse(const CLI::App& app, const CLI::ParseError& error) {
  const auto verbs = app.get_subcommands();
  const CLI::App& verb = verbs.empty() ? app : *verbs.front();
  const std::vector<std::string> extras = verb.remaining();
  if (!verb.get_prefix_command() && !extras.empty()) {
    const auto option =
        std::ranges::find_if(extras, [](const std::string& word) { return word.starts_with('-'); });
    if (option != extras.end()) return no_such_option(verb, *option);
    return Error(fmt::format("{}{}: one argument too many: see `{} --help`", prefix_of(verb),
                             extras.front(), typed_name(verb)),
                 Error::Kind::kUsage);
  }
  return Error(
      fmt::format("{}{}: see `{} --help`", prefix_of(verb), error.what(), typed_name(verb)),
      Error::Kind::kUsage);
}

}  // namespace ompdm::cli
