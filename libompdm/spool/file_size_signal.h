// Files grow past RLIMIT_FSIZE in the program's process and in `ompdm finish` alike: what both do
// about the signal. Needs POSIX, unlike the rest of this folder.
#pragma once

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

namespace ompdm::spool {

/// While one lives, a write of this thread past RLIMIT_FSIZE fails with EFBIG and does nothing
/// else: its SIGXFSZ would kill a process that asked for no handler. errno is kept.
class WithoutFileSizeSignal {
 public:
  WithoutFileSizeSignal() noexcept {
    sigemptyset(&signal_);
    sigaddset(&signal_, SIGXFSZ);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGXFSZ) == 1;
    pthread_sigmask(SIG_BLOCK, &signal_, &before_);
  }
  ~WithoutFileSizeSignal() {
    const int saved_errno = errno;
    if (!was_pending_) {
      const timespec at_once{};
      while (sigtimedwait(&signal_, nullptr, &at_once) == SIGXFSZ) {
      }
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = saved_errno;
  }
  WithoutFileSizeSignal(const WithoutFileSizeSignal&) = delete;
  WithoutFileSizeSignal& operator=(const WithoutFileSizeSignal&) = delete;

 private:
  sigset_t signal_;
  sigset_t before_;
  bool was_pending_;
};

}  // namespace ompdm::spool
