// Keeping pthread_cancel() out of what must not be left half done. open(), pwrite(), fallocate()
// and many more are cancellation points: a thread that the program has asked to end would end in
// the recorder, with its mutex held.
#pragma once

#include <pthread.h>

namespace ompdm::record {

/// While one lives, this thread cannot be cancelled, whatever the kind of cancellation; what was
/// asked for meanwhile comes after it, at the program's next cancellation point. The kind is put
/// off too: glibc (2.36) sends a signal to a thread that may be cancelled at any time, and when
/// that comes looks at the kind alone, though the thread may have forbidden it meanwhile. About 20
/// ns.
class WithoutCancellation {
 public:
  WithoutCancellation() noexcept {
    pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type_before_);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state_before_);
  }
  ~WithoutCancellation() {
    pthread_setcancelstate(state_before_, nullptr);
    pthread_setcanceltype(type_before_, nullptr);
  }
  WithoutCancellation(const WithoutCancellation&) = delete;
  WithoutCancellation& operator=(const WithoutCancellation&) = delete;

 private:
  int type_before_ = PTHREAD_CANCEL_DEFERRED;
  int state_before_ = PTHREAD_CANCEL_ENABLE;
};

}  // namespace ompdm::record
