// Writes that raise a signal besides failing, in the program's process and in `ompdm` alike: past
// RLIMIT_FSIZE, and into a pipe that nobody reads. Needs POSIX, unlike the rest of this folder.
#pragma once

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

namespace ompdm::spool {

/// While one lives, a write of this thread that would raise the signal fails with an error and does
/// nothing else: the signal would kill a process that asked for no handler. errno is kept.
class WithoutSignal {
 public:
  explicit WithoutSignal(int number) noexcept : number_(number) {
    sigemptyset(&signal_);
    sigaddset(&signal_, number);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, number) == 1;
    pthread_sigmask(SIG_BLOCK, &signal_, &before_);
  }
  ~WithoutSignal() {
    const int saved_errno = errno;
    if (!was_pending_) {
      const timespec at_once{};
      while (sigtimedwait(&signal_, nullptr, &at_once) == number_) {
      }
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = saved_errno;
  }
  WithoutSignal(const WithoutSignal&) = delete;
  WithoutSignal& operator=(const WithoutSignal&) = delete;

 private:
  int number_;
  sigset_t signal_;
  sigset_t before_;
  bool was_pending_;
};

/// Of writes past RLIMIT_FSIZE, which fail with EFBIG.
class WithoutFileSizeSignal : public WithoutSignal {
 public:
  WithoutFileSizeSignal() noexcept : WithoutSignal(SIGXFSZ) {}
};

}  // namespace ompdm::spool
