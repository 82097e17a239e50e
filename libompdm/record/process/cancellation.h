// Keeping pthread_cancel() out of what must not be left half done. open(), pwrite(), fallocate()
// and many more are cancellation points: a thread that the program has asked to end would end in
// the recorder, with its mutex held.
#pragma once

#include <pthread.h>

namespace ompdm::record {

/// While one lives, this thread cannot be cancelled, whatever the kind of cancellation; what was
/// asked for meanwhile comes after it, at the program's next cancellation point. About 10 ns.
class WithoutCancellation {
 public:
  WithoutCancellation() noexcept { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  ~WithoutCancellation() { pthread_setcancelstate(before_, nullptr); }
  WithoutCancellation(const WithoutCancellation&) = delete;
  WithoutCancellation& operator=(const WithoutCancellation&) = delete;

 private:
  int before_ = PTHREAD_CANCEL_ENABLE;
};

}  // namespace ompdm::record
