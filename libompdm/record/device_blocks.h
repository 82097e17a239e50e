// Device memory of emulated devices as `ompdm check` has it (OMPDM_CHECK): each block is filled and
// lies between pages that may not be touched, and the pages tell which kernels touch the block. The
// runtime's calls of malloc and free lead here. Nothing of this happens in other recordings.
#pragma once

#include <cstddef>
#include <cstdint>

#include "record/thread_buffer.h"

namespace ompdm::record {

/// Whether OMPDM_CHECK is set.
inline bool checks_blocks() noexcept { return recorder.config.fill >= 0; }

/// Called before the runtime allocates a block of so many bytes on this thread.
void await_block(std::uint64_t bytes) noexcept;
/// Called once it has.
inline void forget_awaited_block() noexcept { this_thread.awaited_bytes = 0; }

/// Called before a kernel runs: from here on touches of blocks are the kernel's.
void watch_launch() noexcept;
/// Called once it has ended: records what it touched in the buffer that recorded the launch.
void end_watch(ThreadBuffer& buffer, bool is_recorded) noexcept;

}  // namespace ompdm::record
