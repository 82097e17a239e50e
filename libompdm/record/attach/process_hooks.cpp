#include "record/attach/process_hooks.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "record/attach/ending.h"
#include "record/contents/budget.h"
#include "record/cupti/cupti.h"
#include "record/modules/modules.h"
#include "record/process/cancellation.h"
#include "record/process/kept_errno.h"
#include "record/process/process_facts.h"
#include "record/stream/device_events.h"
#include "record/stream/lane.h"
#include "record/stream/sites.h"
#include "record/stream/spool_file.h"
#include "spool_format/activities.h"

namespace ompdm::record {
namespace {

Phase phase_at_fork = Phase::kDetached;

void before_fork() noexcept { phase_at_fork = of_this_process.phase.load(); }

// The child starts with nothing of its parent's: it records into a spool of its own from its first
// target event on.
void after_fork_in_child() noexcept {
  const KeptErrno kept_errno;
  pthread_mutex_init(&recorder.mutex, nullptr);
  if (this_thread.inside) {
    // Forked in a signal handler: the child goes on in the midst of a callback, writes what that
    // was about to write where nobody reads it, and stays detached.
    of_this_process.phase.store(Phase::kDetached);
    recorder.header.store(&recorder.draft);
    part_from_chunk();
    return;
  }
  forget_spool();
  forget_lanes();
  forget_early_events();
  revise_modules_after_fork();
  memset(recorder.draft.losses, 0, sizeof(recorder.draft.losses));
  describe_process(recorder.draft);
  budget.restart(recorder.draft.attach.ticks);
  recorder.header.store(&recorder.draft);  // from here on the parent's spool is out of reach
  forget_cupti();
  recorder.failed.store(false);
  this_thread.call = nullptr;
  recorder.forked = true;
  of_this_process.phase.store(phase_at_fork == Phase::kFinished ? Phase::kDetached : phase_at_fork);
}

void at_exit() noexcept {
  const KeptErrno kept_errno;
  const WithoutCancellation uncancelled;
  // From here on FINALIZE means the end of the process. If the runtime was finalised before
  // (omp_pause_resource_all), or will not be (a pending nowait kills the process after this), this
  // is the last call that surely comes.
  recorder.exiting.store(true);
  // Nor does anyone else tell where there is no OMPT.
  if (of_this_process.phase.load() == Phase::kPaused ||
      recorder.draft.attached_by == spool::kAttachedByCuda) {
    end_recording();
  }
}

}  // namespace

void watch_process() noexcept {
  if (!recorder.hooked) {
    recorder.hooked = true;
    pthread_atfork(before_fork, nullptr, after_fork_in_child);
    detach_unseen_children();
    atexit(at_exit);
  }
}

}  // namespace ompdm::record
