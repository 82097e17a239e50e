#include "fix/scratch.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "ompdm/error.h"

namespace ompdm::cli {

namespace fs = std::filesystem;

namespace {

constexpr const char* kBegin = "ompdm-fix-";
constexpr const char* kLock = "lock";

bool is_own_folder(const fs::path& path) {
  struct stat status{};
  return path.filename().string().starts_with(kBegin) && ::lstat(path.c_str(), &status) == 0 &&
         S_ISDIR(status.st_mode) && status.st_uid == ::geteuid();
}

/// Whether the lock is free: the process that made the folder is gone.
bool is_left(const fs::path& folder) {
  const int lock = ::open((folder / kLock).c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (lock < 0) return false;
  const bool is_free = ::flock(lock, LOCK_EX | LOCK_NB) == 0;
  ::close(lock);
  return is_free;
}

void remove_left_ones(const fs::path& base) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(base, ignored)) {
    if (is_own_folder(entry.path()) && is_left(entry.path())) fs::remove_all(entry.path(), ignored);
  }
}

/// Renames the lock once it is held, so that no other process takes it for a free one.
int hold_lock(const fs::path& folder) {
  const fs::path unnamed = folder / "lock.new";
  const int lock = ::open(unnamed.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (lock < 0) return lock;
  std::error_code failed;
  if (::flock(lock, LOCK_EX | LOCK_NB) == 0) fs::rename(unnamed, folder / kLock, failed);
  return lock;
}

}  // namespace

Scratch::Scratch() {
  const char* base = std::getenv("TMPDIR");
  const fs::path parent = base != nullptr ? base : "/tmp";
  remove_left_ones(parent);
  std::string name = (parent / (std::string(kBegin) + "XXXXXX")).string();
  if (::mkdtemp(name.data()) == nullptr) {
    throw Error(fmt::format("{}: no folder can be made ({}): set TMPDIR to a folder with room",
                            name, std::strerror(errno)));
  }
  folder_ = name;
  lock_ = hold_lock(folder_);
}

Scratch::~Scratch() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
  if (lock_ >= 0) ::close(lock_);
}

}  // namespace ompdm::cli
