// Writes that raise no signal.
#pragma once

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

namespace ompdm::spool {

/// Scoped: writes of this thread that would raise one of the signals fail with an error instead.
/// The signals would kill, or stop, a process without a handler. SIGXFSZ is of writes past
/// RLIMIT_FSIZE, which fail with EFBIG. (With SIGTTOU blocked the write
/// succeeds: termios(3).) errno is kept.
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
  sigset_t ours_;  ///< to be discarded; signals pending before are the program's
  sigset_t before_;
};

}  // namespace ompdm::spool
