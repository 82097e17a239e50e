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

/// In a fork's child.
void forget_activity_buffers() noexcept;

}  // namespace ompdm::record
