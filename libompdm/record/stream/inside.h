// The gate of every callback: whether events are taken now, and whether this thread is in the
// recorder already.
#pragma once

#include "record/process/kept_errno.h"
#include "record/stream/lane.h"

namespace ompdm::record {

// Marks this thread as inside the recorder; a signal handler that gets here meanwhile is counted
// and left alone. The thread's errno is kept.
class Inside {
 public:
  Inside() noexcept : entered_(!this_thread.inside) {
    if (entered_) [[likely]] {
      this_thread.inside = true;
      // A handler that comes in the midst of what follows has to see it, however that is compiled.
      __atomic_signal_fence(__ATOMIC_SEQ_CST);
    } else {
      count_loss(spool::Loss::kRecordsReentrant);
    }
  }
  ~Inside() {
    if (entered_) {
      __atomic_signal_fence(__ATOMIC_SEQ_CST);
      this_thread.inside = false;
    }
  }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
  explicit operator bool() const noexcept { return entered_; }

 private:
  KeptErrno errno_;
  bool entered_;
};

/// A runtime that goes on telling after its finalize is listened to; what comes once the trace is
/// being written is counted. Whether events are recorded again.
[[gnu::cold]] bool resume() noexcept;

/// Whether events are recorded now.
inline bool recording() noexcept { return armed() || resume(); }

}  // namespace ompdm::record
