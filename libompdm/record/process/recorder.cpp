#include "record/process/recorder.h"

namespace ompdm::record {

Recorder recorder;

void count_loss(spool::Loss loss, std::uint64_t count) noexcept {
  spool::FileHeader* header = recorder.header.load(std::memory_order_acquire);
  if (header != nullptr) {
    __atomic_fetch_add(&header->losses[static_cast<std::uint32_t>(loss)], count, __ATOMIC_RELAXED);
  }
}

}  // namespace ompdm::record
