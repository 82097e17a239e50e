#include "fix/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/landlock.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

#include "ompdm/error.h"

namespace ompdm::cli {

namespace {

bool write_file(const char* path, const std::string& text) {
  const int file = ::open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) return false;
  const bool ok = ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  ::close(file);
  return ok;
}

/// Mounts of its own, which nobody else sees.
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

/// Where programs put what nobody else is to find. A build writes there, and fails without.
std::vector<std::string> temporary_folders() {
  std::vector<std::string> folders = {"/tmp", "/var/tmp"};
  for (const char* variable : {"XDG_CACHE_HOME", "CCACHE_DIR"}) {
    const char* folder = std::getenv(variable);
    if (folder != nullptr && *folder == '/') folders.emplace_back(folder);
  }
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/') {
    for (const char* cache : {"/.cache", "/.ccache"}) folders.push_back(std::string(home) + cache);
  }
  return folders;
}

/// What is written into the folder from here on goes into `store`. Where this machine does not
/// allow that the folder stays as it is, read-only.
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
  set_read_only("/proc", false);  // of processes, not of the user's files
  ::mount("tmpfs", "/dev/shm", "tmpfs", 0, "mode=1777");
  // The store is memory: not every file system can be an overlay's upper one. Overlays may lie over
  // the scratch folder's path.
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
  // Version 1 forbids to move files between folders; truncation by name is of version 3.
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

}  // namespace

bool can_view(const View& view) {
  return run_child({{"true"}, "/", {}, {}, &view}).exit_status == 0;
}

bool take_view(const View& view) {
  if (!view.seen_at.empty() && !take_namespace()) return false;
  if (view.guard == View::Guard::kMounts) return guard_by_mounts(view);
  if (!view.seen_at.empty() && !bind_to(view.copy, view.seen_at.c_str())) return false;
  return view.guard == View::Guard::kNone || guard_by_landlock(view);
}

namespace {

constexpr int kNoView = 125;

std::atomic<pid_t> running{0};
std::atomic<int> asked{0};
struct sigaction inherited[3];
constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};

void stop(int signal) {
  asked.store(signal);
  if (const pid_t pid = running.load(); pid > 0) ::kill(-pid, SIGKILL);
}

/// Anonymous, and with `text` in it from its beginning on.
int file_of(const std::string& text) {
  const int file = ::memfd_create("ompdm", MFD_CLOEXEC);
  if (file < 0) throw Error(fmt::format("no file can be made: {}", std::strerror(errno)));
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t wrote = ::write(file, text.data() + done, text.size() - done);
    if (wrote <= 0) break;
    done += static_cast<std::size_t>(wrote);
  }
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
  for (const int signal : kSignals) ::signal(signal, SIG_DFL);
  if (child.view != nullptr && !take_view(*child.view)) ::_exit(kNoView);
  if (::chdir(child.directory.c_str()) != 0) ::_exit(126);
  for (const auto& [name, value] : child.environment) ::setenv(name.c_str(), value.c_str(), 1);
  ::dup2(in, STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(errors, STDERR_FILENO);
  std::vector<char*> words;
  for (const std::string& word : child.command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  ::execvp(words[0], words.data());
  ::_exit(errno == ENOENT ? 127 : 126);
}

void throw_if_asked() {
  if (asked.load() != 0) throw Error("stopped: nothing was changed");
}

}  // namespace

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
  running.store(pid);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    if (asked.load() != 0) ::kill(-pid, SIGKILL);
  }
  running.store(0);
  ChildEnd end;
  end.wall = std::chrono::steady_clock::now() - begin;
  // What it left running would write into what is removed.
  ::kill(-pid, SIGKILL);
  end.exit_status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  ::close(in);
  end.output = text_of(out);
  end.errors = text_of(errors);
  throw_if_asked();
  return end;
}

Stopping::Stopping() {
  asked.store(0);
  struct sigaction action = {};
  action.sa_handler = stop;
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < std::size(kSignals); ++i) {
    ::sigaction(kSignals[i], &action, &inherited[i]);
  }
}

Stopping::~Stopping() {
  for (std::size_t i = 0; i < std::size(kSignals); ++i) {
    ::sigaction(kSignals[i], &inherited[i], nullptr);
  }
}

}  // namespace ompdm::cli
