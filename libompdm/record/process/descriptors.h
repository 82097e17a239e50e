// Descriptors of the recorder's own. A program whose standard streams are closed gets their numbers
// with what it opens next; were one of them ours, what it prints would go where we write.
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

namespace ompdm::record {

/// A further descriptor of the open file behind `file`, closed at exec: the lowest free number from
/// `lowest` on, or from 3 on where the process's limit (RLIMIT_NOFILE) lies below. -1 with errno if
/// there is none.
inline int duplicate(int file, int lowest) noexcept {
  constexpr int kAboveStreams = STDERR_FILENO + 1;
  const int number = fcntl(file, F_DUPFD_CLOEXEC, lowest);
  return number >= 0 || errno != EINVAL ? number : fcntl(file, F_DUPFD_CLOEXEC, kAboveStreams);
}

/// As openat(2) with O_CLOEXEC, but never a standard stream's number.
inline int open_above_streams(int folder, const char* path, int flags, mode_t mode = 0) noexcept {
  const int file = openat(folder, path, flags | O_CLOEXEC, mode);
  if (file < 0 || file > STDERR_FILENO) {
    return file;
  }
  const int moved = duplicate(file, STDERR_FILENO + 1);
  const int error = errno;
  close(file);
  errno = error;
  return moved;
}

}  // namespace ompdm::record
