// Keeping pthread_cancel() out of what must not be left half done. open(), pwrite(), fallocate()
// and many more are cancellation points: a thread that the program has asked to end would end in
// the recorder, with its mutex held.
#pragma once

#include <pthread.h>

namespace ompdm::record {

/// While one lives, this thread cannot be cancelled, whatever the kind of cancellation; what was
/// asked for meanwhile comes after it, at the program's next cancellation point. About 20 ns.
class WithoutCancellation {
 public:
  // A thread that pthread_setcancelstate() itself cancels ends with NULL instead of
  // PTHREAD_CANCELED (glibc 2.36), so that the kind is given back last.
  WithoutCancellation() noexcept {
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state_);
    pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type_);
  }
  ~WithoutCancellation() {
    pthread_setcancelstate(state_, nullptr);
    pthread_setcanceltype(type_, nullptr);
  }
  WithoutCancellation(const WithoutCancellation&) = delete;
  WithoutCancellation& operator=(const WithoutCancellation&) = delete;

 private:
  int state_ = PTHREAD_CANCEL_ENABLE;
  int type_ = PTHREAD_CANCEL_DEFERRED;
};

}  // namespace ompdm::record
