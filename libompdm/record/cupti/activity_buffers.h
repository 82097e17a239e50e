// The memory that CUPTI fills with activities: given to it and taken back by its callbacks, on its
// own thread or on one that flushes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ompdm::record {

/// CUPTI's callbacks (cuptiActivityRegisterCallbacks).
void request_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records);
void complete_buffer(void* context, std::uint32_t stream, std::uint8_t* buffer, std::size_t size,
                     std::size_t valid);

/// Waits, a tenth of a second at most, until CUPTI has given back as many buffers as it had asked
/// for when this was called. cuptiActivityFlushAll does not wait for a buffer that CUPTI's own
/// thread is about to give back. To be called after a flush, while the recorder still records.
void await_activity_buffers() noexcept;

/// In a fork's child.
void forget_activity_buffers() noexcept;

}  // namespace ompdm::record
