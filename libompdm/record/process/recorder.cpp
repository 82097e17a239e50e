#include "record/process/recorder.h"

#include <sys/mman.h>
#include <unistd.h>

#include <initializer_list>

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

namespace ompdm::record {

OfThisProcess of_this_process;
Recorder recorder;

void detach_unseen_children() noexcept {
  if (sysconf(_SC_PAGESIZE) == static_cast<long>(sizeof(of_this_process))) {
    madvise(&of_this_process, sizeof(of_this_process), MADV_WIPEONFORK);
  }
}

void count_loss(spool::Loss loss, std::uint64_t count) noexcept {
  spool::FileHeader* header = recorder.header.load(std::memory_order_acquire);
  if (header != nullptr) {
    __atomic_fetch_add(&header->losses[static_cast<std::uint32_t>(loss)], count, __ATOMIC_RELAXED);
  }
}

Lock::Lock() noexcept {
  sigset_t all;
  sigfillset(&all);
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP}) {
    sigdelset(&all, fault);
  }
  pthread_sigmask(SIG_BLOCK, &all, &before_);
  pthread_mutex_lock(&recorder.mutex);
}

Lock::~Lock() {
  pthread_mutex_unlock(&recorder.mutex);
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

}  // namespace ompdm::record
