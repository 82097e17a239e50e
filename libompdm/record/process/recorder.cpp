#include "record/process/recorder.h"

#include <sys/mman.h>
#include <unistd.h>

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

}  // namespace ompdm::record
