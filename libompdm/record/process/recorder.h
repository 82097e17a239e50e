// The recorder's process-wide state. One instance, plain data, never destroyed: callbacks may come
// before constructors and after destructors of everything else.
#pragma once

#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <cstdint>

#include "record/process/cancellation.h"
#include "record/process/config.h"
#include "spool_format/format.h"

namespace ompdm::record {

enum class Phase : std::uint32_t {
  kDetached,  ///< not started, declined, or disarmed after a failure
  kArmed,     ///< recording
  kPaused,    ///< the runtime was finalised, the process goes on (omp_pause_resource_all)
  kFinished,  ///< the trailer is written; what still comes is counted as lost
};

/// Zero in a child that was made behind the back of pthread_atfork(3) (_Fork, a bare clone): it is
/// detached, rather than write into the spool of its parent. A page by itself, see
/// `detach_unseen_children`.
struct alignas(4096) OfThisProcess {
  std::atomic<Phase> phase{Phase::kDetached};
};

extern OfThisProcess of_this_process;

/// Has the kernel empty `of_this_process` in every child; what a fork(2) child needs of it is put
/// back by the hooks. Nothing on kernels before 4.14, or with larger pages.
void detach_unseen_children() noexcept;

struct alignas(64) Recorder {
  // What every callback reads besides the phase lies in one cache line.
  bool clock_is_tsc = false;  ///< decided once at attach, before any thread can call ticks()
  bool contents = false;      ///< contents are looked at, within the budget
  std::atomic<bool> counting{false};  ///< regions that begin now are counted, not told (detail.h)
  std::atomic<bool> cupti{false};  ///< activities are recorded; while false no callback does more
                                   ///< than read this
  std::atomic<bool> wrappers_only{
      false};  ///< the runtime has no EMI callbacks: wrappers write the regions
  std::atomic<std::uint64_t> look_at_detail{~std::uint64_t{0}};  ///< ticks: look_at_detail() then
  std::atomic<bool> failed{false};  ///< the spool cannot grow any more; said once
  std::atomic<bool> exiting{false};
  bool hooked = false;  ///< fork and exit are watched
  bool forked = false;  ///< a fork's child: silent unless it offloads
  /// The file's header once the spool is open, `draft` before: counters and facts always have a
  /// place.
  std::atomic<spool::FileHeader*> header{nullptr};
  /// Guards the spool's growth, lanes given out and back, and the patching of modules; never taken
  /// on the hot path.
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  Config config;
  spool::FileHeader draft{};
};

extern Recorder recorder;

/// Adds to a named loss. Safe anywhere; survives a kill once the spool is open.
[[gnu::cold]] void count_loss(spool::Loss loss, std::uint64_t count = 1) noexcept;

inline bool armed() noexcept {
  return of_this_process.phase.load(std::memory_order_relaxed) == Phase::kArmed;
}

/// Scoped hold of the recorder's mutex, by a thread that meanwhile cannot be cancelled, and takes
/// no signal: a handler that forks would leave the child in the midst of growing its parent's
/// spool, one that ends the process would wait for its own thread.
class Lock {
 public:
  Lock() noexcept;
  ~Lock();
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  WithoutCancellation uncancelled_;
  sigset_t before_;
};

}  // namespace ompdm::record
