#include "record/recorder.h"

#include <poll.h>
#include <stdarg.h>
#include <sys/stat.h>

#include <initializer_list>

#include "spool_format/without_signal.h"

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

namespace ompdm::record {

WipedOnFork wiped_on_fork;
Recorder recorder;

void detach_unseen_children() noexcept {
  if (sysconf(_SC_PAGESIZE) == static_cast<long>(sizeof(wiped_on_fork))) {
    madvise(&wiped_on_fork, sizeof(wiped_on_fork), MADV_WIPEONFORK);
  }
}

void count_loss(spool::Loss loss, std::uint64_t count) noexcept {
  spool::FileHeader* header = recorder.header.load(std::memory_order_acquire);
  if (header != nullptr) {
    __atomic_fetch_add(&header->losses[static_cast<std::uint32_t>(loss)], count, __ATOMIC_RELAXED);
  }
}

BlockedSignals::BlockedSignals() noexcept {
  sigset_t all;
  sigfillset(&all);
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP}) {
    sigdelset(&all, fault);
  }
  pthread_sigmask(SIG_BLOCK, &all, &before_);
}

namespace {

struct stat stderr_at_attach;
bool stderr_known = false;

// Whether descriptor 2 is still the file that it was at attach.
bool stderr_is_ours() noexcept {
  struct stat now;
  return stderr_known && fstat(STDERR_FILENO, &now) == 0 && now.st_dev == stderr_at_attach.st_dev &&
         now.st_ino == stderr_at_attach.st_ino;
}

}  // namespace

void remember_stderr() noexcept { stderr_known = fstat(STDERR_FILENO, &stderr_at_attach) == 0; }

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
    // Without blocking, and without a signal that would end the program: where nobody reads, the
    // message is lost. Signals are raised for a pipe without a reader, at a size limit, and in a
    // terminal's background (tostop).
    const spool::WithoutSignal unharmed(SIGPIPE, SIGXFSZ, SIGTTOU);
    pollfd ready{STDERR_FILENO, POLLOUT, 0};
    if (poll(&ready, 1, 0) == 1 && (ready.revents & POLLOUT) != 0) {
      line.write_line(STDERR_FILENO);
    }
  }
}

}  // namespace ompdm::record
