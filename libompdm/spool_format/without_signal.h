// System calls that a signal interrupted are made again.
#pragma once

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

namespace ompdm::spool {

/// While one lives, a write of this thread that would raise one of the signals fails with an error
/// and does nothing else: the signal would kill, or stop, a process that asked for no handler. (Of
/// SIGTTOU the write then succeeds: termios(3).) errno is kept.
class WithoutSignal {
 public:
  template <class... Numbers>
  explicit WithoutSignal(Numbers... numbers) noexcept {
    sigemptyset(&ours_);
    (sigaddset(&ours_, numbers), ...);
    sigset_t pending;
    sigpending(&pending);
    pthread_sigmask(SIG_BLOCK, &ours_, &before_);
    ((sigismember(&pending, numbers) == 1 ? sigdelset(&ours_, numbers) : 0), ...);
  }
  ~WithoutSignal() {
    const int saved_errno = errno;
    const timespec at_once{};
    while (sigtimedwait(&ours_, nullptr, &at_once) > 0) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = saved_errno;
  }
  WithoutSignal(const WithoutSignal&) = delete;
  WithoutSignal& operator=(const WithoutSignal&) = delete;

 private:
  sigset_t ours_;  ///< to be taken back: those that were pending before are the program's
  sigset_t before_;
};

/// Of writes past RLIMIT_FSIZE, which fail with EFBIG.
class WithoutFileSizeSignal : public WithoutSignal {
 public:
  WithoutFileSizeSignal() noexcept : WithoutSignal(SIGXFSZ) {}
};

}  // namespace ompdm::spool
