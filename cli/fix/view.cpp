#include "fix/view.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/landlock.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "fix/child.h"

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

}  // namespace ompdm::cli
