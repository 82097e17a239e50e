// Device memory of host devices for `ompdm check` (OMPDM_CHECK). Each block is filled, and lies
// between pages that may not be touched. These pages show which kernels touch the block. The
// runtime's calls of malloc and free lead here. Nothing of this happens in other recordings.
#pragma once

#include <cstddef>
#include <cstdint>

#include "record/thread_buffer.h"

namespace ompdm::record {

/// Whether OMPDM_CHECK is set.
inline bool checks_blocks() noexcept { return recorder.config.fill >= 0; }

/// Called before an operation of the runtime: from here on its faults are handled, whatever handler
/// the program has set. `bytes`: of the block that the operation allocates; 0: it allocates none.
/// `host`: the host's data that the block is for; null: of none.
void prepare_blocks(std::uint64_t bytes, const void* host) noexcept;
/// Called after it.
inline void forget_awaited_block() noexcept { this_thread.awaited_bytes = 0; }

/// Called before a kernel of a directive runs (null: not known). From here on touches of blocks are
/// the kernel's. The first 64 launches of a directive are watched, then fewer and fewer: each touch
/// costs a fault.
void watch_launch(SiteSlot* site) noexcept;
/// Called once it has ended: records what it touched in the buffer that recorded the launch, or
/// that this is not known.
void end_watch(ThreadBuffer& buffer, bool is_recorded) noexcept;

}  // namespace ompdm::record
