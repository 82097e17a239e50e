#include "record/process/message.h"

#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/process/cancellation.h"
#include "record/process/pieces.h"
#include "spool_format/without_signal.h"

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
void write_line(Pieces& line) noexcept {
  // No reader, no room, a terminal's background with tostop.
  const spool::WithoutSignal unharmed(SIGPIPE, SIGXFSZ, SIGTTOU);
  pollfd ready{STDERR_FILENO, POLLOUT, 0};
  if (poll(&ready, 1, 0) == 1 && (ready.revents & POLLOUT) != 0) {
    line.write_line(STDERR_FILENO);
  }
}

}  // namespace

void say(const char* format, ...) noexcept {
  const WithoutCancellation uncancelled;
  if (stderr_is_ours()) {
    Pieces line;
    line.add("ompdm: ");
    va_list arguments;
    va_start(arguments, format);
    const char* at = format;
    for (const char* percent; (percent = strchr(at, '%')) != nullptr; at = percent + 2) {
      line.add(at, static_cast<std::size_t>(percent - at));
      if (percent[1] == 'u') {
        line.add_number(va_arg(arguments, unsigned));
      } else {
        line.add_printable(va_arg(arguments, const char*));
      }
    }
    va_end(arguments);
    line.add(at);
    write_line(line);
  }
}

}  // namespace ompdm::record
