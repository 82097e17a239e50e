// The recorder's process-wide state. One instance, plain data, never destroyed: callbacks may come
// before constructors and after destructors of everything else.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>

#include "record/config.h"
#include "spool/format.h"

namespace ompdm::record {

enum class Phase : std::uint32_t {
  kDetached,  ///< not started, declined, or disarmed after a failure
  kArmed,     ///< recording
  kPaused,    ///< the runtime was finalised, the process goes on (omp_pause_resource_all)
  kFinished,  ///< the trailer is written; what still comes is counted as lost
};

struct Recorder {
  std::atomic<Phase> phase{Phase::kDetached};
  Config config;
  /// Guards the spool's growth, lanes given out and back, and the patching of modules; never taken
  /// on the hot path.
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  /// The file's header once the spool is open, `draft` before: counters and facts always have a
  /// place.
  std::atomic<spool::FileHeader*> header{nullptr};
  spool::FileHeader draft{};
  /// Changes with every fork's child, so that a thread knows lanes of its parent for foreign.
  std::atomic<std::uint32_t> generation{1};
  std::atomic<bool> exiting{false};
  bool hooked = false;  ///< fork and exit are watched
  bool forked = false;  ///< a fork's child: silent unless it offloads
  std::atomic<bool> wrappers_only{
      false};  ///< the runtime has no EMI callbacks: wrappers write the regions
  std::atomic<bool> failed{false};  ///< the spool cannot grow any more; said once
};

extern Recorder recorder;

/// Adds to a named loss. Safe anywhere; survives a kill once the spool is open.
inline void count_loss(spool::Loss loss, std::uint64_t count = 1) noexcept {
  spool::FileHeader* header = recorder.header.load(std::memory_order_acquire);
  if (header != nullptr) {
    __atomic_fetch_add(&header->losses[static_cast<std::uint32_t>(loss)], count, __ATOMIC_RELAXED);
  }
}

inline bool armed() noexcept {
  return recorder.phase.load(std::memory_order_relaxed) == Phase::kArmed;
}

/// Scoped hold of the recorder's mutex.
class Lock {
 public:
  Lock() noexcept { pthread_mutex_lock(&recorder.mutex); }
  ~Lock() { pthread_mutex_unlock(&recorder.mutex); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
};

}  // namespace ompdm::record
