#include "trace/spool_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "ompdm/error.h"

namespace ompdm::trace {
namespace {

namespace fs = std::filesystem;

bool try_lock(int file) { return flock(file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK; }

bool lock(int file, const FinishOptions& options) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kWorthAWord{300};
  const Clock::time_point begin = Clock::now();
  for (bool told = false; !try_lock(file);) {
    const auto waited = Clock::now() - begin;
    if (waited >= options.patience) return false;
    if (!told && waited > kWorthAWord && options.waiting) options.waiting();
    told = waited > kWorthAWord;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

}  // namespace

SpoolLock::SpoolLock(const fs::path& path, const FinishOptions& options)
    : fd_(options.handed_over >= 0 ? options.handed_over
          : options.opened >= 0
              ? options.opened
              : open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {
  if (fd_ < 0) {
    throw Error(fmt::format("{}: cannot be opened ({}): give the name of a spool", path.string(),
                            std::strerror(errno)));
  }
  if (lock(fd_, options)) return;
  close(fd_);
  throw Error(
      fmt::format("{}: is being finished by another process: wait for its trace", path.string()));
}

SpoolLock::~SpoolLock() { close(fd_); }

fs::path SpoolLock::handle() const { return fmt::format("/proc/self/fd/{}", fd_); }

bool SpoolLock::removed() const {
  struct stat locked{};
  return fstat(fd_, &locked) == 0 && locked.st_nlink == 0;
}

bool SpoolLock::belongs_to_us() const {
  struct stat facts{};
  return fstat(fd_, &facts) == 0 && facts.st_uid == geteuid();
}

// Another run may set it aside at any time and take its name; so it is removed under a name that
// nobody else takes.
void SpoolLock::remove_file(std::error_code& error) const {
  constexpr int kTries = 10;
  for (int tries = 0; tries < kTries && !removed(); ++tries) {
    const fs::path name = fs::read_symlink(handle(), error);
    if (error || !is_locked_file(name)) continue;
    const fs::path apart = fmt::format("{}.{}.removed", name.string(), getpid());
    fs::rename(name, apart, error);
    if (error) continue;
    if (is_locked_file(apart)) {
      fs::remove(apart, error);
      return;
    }
    renameat2(AT_FDCWD, apart.c_str(), AT_FDCWD, name.c_str(), RENAME_NOREPLACE);
  }
}

bool SpoolLock::is_locked_file(const fs::path& name) const {
  struct stat locked{};
  struct stat named{};
  return fstat(fd_, &locked) == 0 && stat(name.c_str(), &named) == 0 &&
         locked.st_dev == named.st_dev && locked.st_ino == named.st_ino;
}

}  // namespace ompdm::trace
