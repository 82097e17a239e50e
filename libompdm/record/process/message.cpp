#include "record/process/message.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>

#include "record/process/cancellation.h"
#include "spool/without_signal.h"

namespace ompdm::record {
namespace {

struct stat stderr_at_attach;
bool stderr_known = false;

}  // namespace

void remember_stderr() noexcept { stderr_known = fstat(STDERR_FILENO, &stderr_at_attach) == 0; }

bool stderr_is_ours() noexcept {
  struct stat now;
  return stderr_known && fstat(STDERR_FILENO, &now) == 0 && now.st_dev == stderr_at_attach.st_dev &&
         now.st_ino == stderr_at_attach.st_ino;
}

namespace {

// A reader that is gone costs the message, never the program; one that does not read does not keep
// it waiting.
void write_line(const char* text, std::size_t size) noexcept {
  const spool::WithoutSignal no_reader(SIGPIPE);
  const spool::WithoutFileSizeSignal no_room;
  pollfd ready{STDERR_FILENO, POLLOUT, 0};
  if (poll(&ready, 1, 0) == 1 && (ready.revents & POLLOUT) != 0) {
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text, size);
  }
}

}  // namespace

void say(const char* format, ...) noexcept {
  const int saved_errno = errno;
  const WithoutCancellation uncancelled;
  if (stderr_is_ours()) {
    char text[1024] = "ompdm: ";
    constexpr int kPrefix = 7;
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(text + kPrefix, sizeof(text) - kPrefix - 1, format, arguments);
    va_end(arguments);
    if (size > static_cast<int>(sizeof(text)) - kPrefix - 2) {
      size = static_cast<int>(sizeof(text)) - kPrefix - 2;
    }
    if (size > 0) {
      text[kPrefix + size] = '\n';
      write_line(text, static_cast<std::size_t>(kPrefix) + static_cast<std::size_t>(size) + 1);
    }
  }
  errno = saved_errno;
}

}  // namespace ompdm::record
