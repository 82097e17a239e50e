#include "launch.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/landlock.h>
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <sstream>
#include <utility>

#include "ompdm/report.h"

namespace ompdm::cli {

namespace fs = std::filesystem;

namespace {

void add_programs(const fs::path& folder, std::vector<std::string>& names) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder.empty() ? "." : folder, error)) {
    if (entry.is_regular_file(error) && ::access(entry.path().c_str(), X_OK) == 0) {
      names.push_back(entry.path().filename());
    }
  }
}

enum class Phase { kBefore, kRunning, kAfter };

std::atomic<Phase> phase{Phase::kBefore};
std::atomic<pid_t> running{0};
std::atomic<int> waiting{0};  ///< a signal that came before the program had started
std::atomic<int> late{0};     ///< a signal that came after the program's end
static_assert(std::atomic<pid_t>::is_always_lock_free && std::atomic<Phase>::is_always_lock_free);

void forward(int signal, siginfo_t* info, void*) {
  // A signal from the terminal (SI_KERNEL) goes to the whole foreground group, and so to the
  // program, too.
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
    return std::ranges::count(change.unset, name) > 0 ||
           std::ranges::count(change.set, name, &std::pair<std::string, std::string>::first) > 0;
  };
  for (char** setting = environ; *setting != nullptr; ++setting) {
    if (!is_changed(*setting)) environment.emplace_back(*setting);
  }
  for (const auto& [name, value] : change.set) environment.push_back(name + '=' + value);
  return environment;
}

Ending not_started(const std::string& program, int error) {
  if (error == ENOENT || error == ENOTDIR) return {0, 127, 0, not_found(program)};
  return {0, 126, 0,
          program + ": cannot be executed (" + std::strerror(error) +
              "): name a program, or make it executable (chmod +x)"};
}

void discard_output() {
  const int nowhere = ::open("/dev/null", O_WRONLY);
  if (nowhere < 0) return;
  ::dup2(nowhere, STDOUT_FILENO);
  ::dup2(nowhere, STDERR_FILENO);
  ::close(nowhere);
}

/// Waits for the end of a process, and returns its status.
int wait_for(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR)
      throw Error(std::string("the program cannot be waited for: ") + std::strerror(errno));
  }
  return status;
}

int exit_status_of(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/// Blocks the signals that are forwarded. Returns the mask from before.
sigset_t hold_signals() {
  sigset_t held;
  sigset_t before;
  sigemptyset(&held);
  for (const int signal : SignalForwarding::kSignals) sigaddset(&held, signal);
  ::sigprocmask(SIG_BLOCK, &held, &before);
  return before;
}

/// Forwards signals to the program from now on, and a signal that came earlier. Call it with
/// signals blocked.
void start_forwarding(pid_t pid) {
  running.store(pid);
  phase.store(Phase::kRunning);
  if (const int signal = waiting.exchange(0); signal != 0) ::kill(pid, signal);
}

/// Runs in the child process. The parent removes the folder and all else.
[[noreturn]] void do_work(const std::function<std::vector<std::string>()>& work, int pipe) {
  ::setsid();
  ::signal(SIGPIPE, SIG_IGN);  // the parent may have left
  // A process that waits for this command's output or locks must not wait for the child.
  const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int stream = 0; nowhere >= 0 && stream <= STDERR_FILENO; ++stream) ::dup2(nowhere, stream);
  int status = 0;
  try {
    std::string text;
    for (const std::string& line : work()) text += line + '\0';
    write_all(pipe, text);
  } catch (const std::exception&) {
    status = 1;
  }
  ::_exit(status);
}

bool write_file(const char* path, const std::string& text) {
  const Descriptor file(::open(path, O_WRONLY | O_CLOEXEC));
  return file.number >= 0 && write_all(file.number, text);
}

/// Gives the process a mount namespace of its own.
bool take_namespace() {
  const uid_t user = ::getuid();
  const gid_t group = ::getgid();
  if (::unshare(CLONE_NEWNS | (user == 0 ? 0 : CLONE_NEWUSER)) != 0) return false;
  if (user != 0) {
    const bool is_mapped = write_file("/proc/self/setgroups", "deny") &&
                           write_file("/proc/self/uid_map", fmt::format("{0} {0} 1", user)) &&
                           write_file("/proc/self/gid_map", fmt::format("{0} {0} 1", group));
    if (!is_mapped) return false;
  }
  return ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
}

std::string path_of(int folder) { return fmt::format("/proc/self/fd/{}", folder); }

int open_folder(const char* path) { return ::open(path, O_PATH | O_DIRECTORY | O_CLOEXEC); }

bool bind_to(const std::string& from, const char* to) {
  return ::mount(from.c_str(), to, nullptr, MS_BIND | MS_REC, nullptr) == 0;
}

bool set_read_only(const char* at, bool is_read_only) {
  mount_attr change{};
  (is_read_only ? change.attr_set : change.attr_clr) = MOUNT_ATTR_RDONLY;
  return ::mount_setattr(AT_FDCWD, at, is_read_only ? AT_RECURSIVE : 0, &change, sizeof change) ==
         0;
}

/// Folders for temporary files. A build writes there, and fails if it cannot.
std::vector<std::string> temporary_folders() {
  const std::string home = variable("HOME");
  std::vector<std::string> folders = {"/tmp", "/var/tmp", variable("XDG_CACHE_HOME"),
                                      variable("CCACHE_DIR")};
  for (const char* cache : {"/.cache", "/.ccache"}) {
    if (!home.empty()) folders.push_back(home + cache);
  }
  std::erase_if(folders, [](const std::string& folder) { return !folder.starts_with('/'); });
  return folders;
}

/// Redirects writes into the folder from here on to `store`. Where this machine does not allow
/// that, the folder stays read-only.
void make_private(const std::string& folder, const std::string& store) {
  struct stat status{};
  const bool is_plain = folder.find_first_of(":,\\") == std::string::npos;
  if (!is_plain || ::stat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) return;
  const std::string upper = store + ".upper";
  const std::string work = store + ".work";
  if (::mkdir(upper.c_str(), 0700) != 0 || ::mkdir(work.c_str(), 0700) != 0) return;
  ::chmod(upper.c_str(), status.st_mode & 07777);
  const std::string options = fmt::format("lowerdir={},upperdir={},workdir={}{}", folder, upper,
                                          work, ::getuid() == 0 ? "" : ",userxattr");
  ::mount("overlay", folder.c_str(), "overlay", 0, options.c_str());
}

bool guard_by_mounts(const View& view) {
  const std::string hold = view.scratch / "private";
  ::mkdir(hold.c_str(), 0700);
  const int copy = open_folder(view.copy.c_str());
  const int scratch = open_folder(view.scratch.c_str());
  if (copy < 0 || scratch < 0 || !set_read_only("/", true)) return false;
  set_read_only("/proc", false);  // processes, and no files of the user
  ::mount("tmpfs", "/dev/shm", "tmpfs", 0, "mode=1777");
  // The store is in memory: not every file system can be the upper layer of an overlay. Overlays
  // may cover the path of the scratch folder.
  if (::mount("tmpfs", hold.c_str(), "tmpfs", 0, "mode=0700") == 0) {
    const std::string store = path_of(open_folder(hold.c_str()));
    int number = 0;
    for (const std::string& folder : temporary_folders()) {
      make_private(folder, fmt::format("{}/{}", store, number++));
    }
  }
  return bind_to(path_of(scratch), view.scratch.c_str()) &&
         set_read_only(view.scratch.c_str(), false) &&
         bind_to(path_of(copy), view.seen_at.c_str()) && set_read_only(view.seen_at.c_str(), false);
}

bool allow(int rules, const char* folder, std::uint64_t rights) {
  landlock_path_beneath_attr rule{};
  rule.allowed_access = rights;
  rule.parent_fd = open_folder(folder);
  const bool is_added = rule.parent_fd >= 0 && ::syscall(SYS_landlock_add_rule, rules,
                                                         LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0;
  ::close(rule.parent_fd);
  return is_added;
}

bool guard_by_landlock(const View& view) {
  // Version 1 forbids moving files between folders. Truncation by name needs version 3.
  const long version =
      ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (version < 2) return false;
  constexpr std::uint64_t kTruncate = 1 << 14;
  landlock_ruleset_attr handled{};
  handled.handled_access_fs = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                              LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
                              LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
                              LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
                              LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM |
                              LANDLOCK_ACCESS_FS_REFER | (version < 3 ? 0 : kTruncate);
  const int rules =
      static_cast<int>(::syscall(SYS_landlock_create_ruleset, &handled.handled_access_fs,
                                 sizeof handled.handled_access_fs, 0));
  if (rules < 0) return false;
  for (const char* folder : {"/dev", "/proc"}) allow(rules, folder, handled.handled_access_fs);
  return allow(rules, view.scratch.c_str(), handled.handled_access_fs) &&
         allow(rules, view.copy.c_str(), handled.handled_access_fs) &&
         ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::syscall(SYS_landlock_restrict_self, rules, 0) == 0;
}

/// Gives the calling process the view. False where this machine cannot do that: the process must
/// not run anything then.
bool take_view(const View& view) {
  if (!view.seen_at.empty() && !take_namespace()) return false;
  if (view.guard == View::Guard::kMounts) return guard_by_mounts(view);
  if (!view.seen_at.empty() && !bind_to(view.copy, view.seen_at.c_str())) return false;
  return view.guard == View::Guard::kNone || guard_by_landlock(view);
}

constexpr int kNoView = 125;

std::atomic<pid_t> running_child{0};
std::atomic<int> stop_signal{0};
struct sigaction inherited_actions[3];
constexpr int kStopSignals[] = {SIGINT, SIGTERM, SIGHUP};

void stop(int signal) {
  stop_signal.store(signal);
  if (const pid_t pid = running_child.load(); pid > 0) ::kill(-pid, SIGKILL);
}

/// An anonymous file that contains `text`.
int file_of(const std::string& text) {
  const int file = ::memfd_create("ompdm", MFD_CLOEXEC);
  if (file < 0) throw Error(fmt::format("no file can be made: {}", std::strerror(errno)));
  write_all(file, text);
  ::lseek(file, 0, SEEK_SET);
  return file;
}

std::string text_of(int file) {
  std::string text;
  char part[1 << 16];
  ::lseek(file, 0, SEEK_SET);
  for (ssize_t got = 0; (got = ::read(file, part, sizeof part)) > 0;) {
    text.append(part, static_cast<std::size_t>(got));
  }
  ::close(file);
  return text;
}

[[noreturn]] void become(const Child& child, int in, int out, int errors) {
  ::setpgid(0, 0);
  for (const int signal : kStopSignals) ::signal(signal, SIG_DFL);
  if (child.view != nullptr && !take_view(*child.view)) ::_exit(kNoView);
  if (::chdir(child.directory.c_str()) != 0) ::_exit(126);
  for (const auto& [name, value] : child.environment) ::setenv(name.c_str(), value.c_str(), 1);
  ::dup2(in, STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(errors, STDERR_FILENO);
  std::vector<std::string> words = child.command;
  ::execvp(words[0].c_str(), pointers(words).data());
  ::_exit(errno == ENOENT ? 127 : 126);
}

void throw_if_asked() {
  if (stop_signal.load() != 0) throw Error("stopped: nothing was changed");
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
  // Signals are blocked except during the wait, so that none comes between the check and the wait.
  const sigset_t before = hold_signals();
  const timespec limit{at_most.count() / 1000, (at_most.count() % 1000) * 1'000'000};
  pollfd input{file, POLLIN, 0};
  int ready = -1;
  while (ready < 0 && late.load() == 0) {
    ready = ::ppoll(&input, 1, at_most.count() < 0 ? nullptr : &limit, &before);
  }
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  if (late.load() != 0) return Came::kSignal;
  return ready > 0 ? Came::kInput : Came::kNothing;
}

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

Descriptor::~Descriptor() {
  if (number >= 0) ::close(number);
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
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

std::string near_program(const std::string& program) {
  const std::size_t slash = program.rfind('/');
  const std::string folder = slash == std::string::npos ? "" : program.substr(0, slash + 1);
  std::vector<std::string> names;
  add_programs(folder, names);
  const std::string name = program.substr(folder.size());
  // A script whose interpreter is missing has the searched name, but is not meant.
  if (const std::string here = nearest(name, names); !here.empty() && here != name) {
    return (folder.empty() ? "./" : folder) + here;
  }
  if (!folder.empty()) return {};
  std::error_code error;
  if (fs::is_regular_file(program, error)) return "./" + program;
  std::istringstream on_path(variable("PATH"));
  names.clear();
  for (std::string entry; std::getline(on_path, entry, ':');) add_programs(entry, names);
  return nearest(program, names, 1);  // among thousands there is always a similar name
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

  // Signals are blocked until the program's pid is known, so that none is lost.
  const sigset_t inherited_mask = hold_signals();
  const pid_t pid = ::fork();
  if (pid == 0) {
    signals.restore();
    ::sigprocmask(SIG_SETMASK, &inherited_mask, nullptr);
    if (output == Output::kDiscarded) discard_output();
    ::execvpe(arguments[0], arguments.data(), environment.data());
    const int error = errno;
    const ssize_t was_slow = ::write(failure[1], &error, sizeof error);
    ::_exit(was_slow == sizeof error ? 127 : 126);
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
  return {pid, exit_status_of(status), WIFSIGNALED(status) ? WTERMSIG(status) : 0, {}};
}

DetachedWork run_detached(const std::function<std::vector<std::string>()>& work,
                          const SignalForwarding& signals, const std::function<void()>& slow) {
  int pipe[2];
  if (::pipe2(pipe, O_CLOEXEC) != 0) return {work(), false, false};
  const Descriptor input(pipe[0]);
  const pid_t child = ::fork();
  if (child == 0) {
    signals.restore();
    ::close(pipe[0]);
    do_work(work, pipe[1]);
  }
  ::close(pipe[1]);
  if (child < 0) return {work(), false, false};

  DetachedWork detached;
  std::string text;
  std::chrono::milliseconds wait{1000};
  for (;;) {
    const auto came = signals.wait_for(input.number, wait);
    if (came == SignalForwarding::Came::kSignal) return {{}, true, false};
    if (came == SignalForwarding::Came::kNothing) {
      slow();
      wait = std::chrono::milliseconds(-1);
      continue;
    }
    char piece[4096];
    const ssize_t got = ::read(input.number, piece, sizeof piece);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    text.append(piece, static_cast<std::size_t>(got));
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  detached.died = status != 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line, '\0');) detached.lines.push_back(line);
  return detached;
}

bool can_view(const View& view) {
  return run_child({{"true"}, "/", {}, {}, &view}).exit_status == 0;
}

ChildEnd run_child(const Child& child) {
  throw_if_asked();
  const int in = file_of(child.input);
  const int out = file_of({});
  const int errors = file_of({});
  const auto begin = std::chrono::steady_clock::now();
  const pid_t pid = ::fork();
  if (pid == 0) become(child, in, out, errors);
  if (pid < 0) throw Error(fmt::format("no process can be started: {}", std::strerror(errno)));
  ::setpgid(pid, pid);
  running_child.store(pid);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    if (stop_signal.load() != 0) ::kill(-pid, SIGKILL);
  }
  running_child.store(0);
  ChildEnd end;
  end.wall = std::chrono::steady_clock::now() - begin;
  // Remaining processes of the child would write into folders that are removed.
  ::kill(-pid, SIGKILL);
  end.exit_status = exit_status_of(status);
  ::close(in);
  end.output = text_of(out);
  end.errors = text_of(errors);
  throw_if_asked();
  return end;
}

Dialogue::Dialogue(const Child& child) : name_(child.command.front()) {
  throw_if_asked();
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    throw Error(fmt::format("no process can be started: {}", std::strerror(errno)));
  }
  errors_ = file_of({});
  pid_ = ::fork();
  if (pid_ == 0) become(child, ends[1], ends[1], errors_);
  ::close(ends[1]);
  socket_ = ends[0];
  if (pid_ < 0) throw Error(fmt::format("no process can be started: {}", std::strerror(errno)));
  ::setpgid(pid_, pid_);
}

Dialogue::~Dialogue() {
  ::close(socket_);
  ::close(errors_);
  if (pid_ <= 0) return;
  ::kill(-pid_, SIGKILL);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

std::string Dialogue::ask(const std::string& line) {
  throw_if_asked();
  if (pid_ <= 0) throw Error(name_ + ": has ended");
  running_child.store(pid_);
  const std::string text = line + '\n';
  std::size_t sent = 0;
  bool is_there = true;
  while (is_there && sent < text.size()) {
    const ssize_t count = ::send(socket_, &text[sent], text.size() - sent, MSG_NOSIGNAL);
    if (count > 0) sent += static_cast<std::size_t>(count);
    is_there = count > 0 || (errno == EINTR && stop_signal.load() == 0);
  }
  std::size_t end = std::string::npos;
  while (is_there && (end = read_.find('\n')) == std::string::npos) {
    char piece[65536];
    const ssize_t count = ::recv(socket_, piece, sizeof piece, 0);
    if (count > 0) read_.append(piece, static_cast<std::size_t>(count));
    is_there = count > 0 || (count < 0 && errno == EINTR && stop_signal.load() == 0);
  }
  running_child.store(0);
  throw_if_asked();
  if (end == std::string::npos) {
    int status = 0;
    ::kill(-pid_, SIGKILL);
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = 0;
    throw Error(fmt::format("{}: failed with status {}: {}", name_, exit_status_of(status),
                            text_of(std::exchange(errors_, file_of({})))));
  }
  std::string answer = read_.substr(0, end);
  read_.erase(0, end + 1);
  return answer;
}

Stopping::Stopping() {
  stop_signal.store(0);
  struct sigaction action = {};
  action.sa_handler = stop;
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < std::size(kStopSignals); ++i) {
    ::sigaction(kStopSignals[i], &action, &inherited_actions[i]);
  }
}

Stopping::~Stopping() {
  for (std::size_t i = 0; i < std::size(kStopSignals); ++i) {
    ::sigaction(kStopSignals[i], &inherited_actions[i], nullptr);
  }
}

}  // namespace ompdm::cli
