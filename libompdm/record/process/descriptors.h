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

/// As openat(2) with O_CLOEXEC, but never a standard stream's number, not even for a moment: those
/// that are free are taken meanwhile, and lead nowhere.
inline int open_above_streams(int folder, const char* path, int flags, mode_t mode = 0) noexcept {
  int taken[STDERR_FILENO + 1];
  int count = 0;
  int nowhere = 0;
  while ((nowhere = open("/dev/null", O_RDWR | O_CLOEXEC)) >= 0 && nowhere <= STDERR_FILENO) {
    taken[count++] = nowhere;
  }
  if (nowhere >= 0) {
    close(nowhere);
  }
  const int file = openat(folder, path, flags | O_CLOEXEC, mode);
  const int error = errno;
  while (count > 0) {
    close(taken[--count]);
  }
  errno = error;
  return file;
}

}  // namespace ompdm::record
