// CUPTI's buffers, and what is in them written to the spool. Runs on CUPTI's thread or on the one
// that flushes; one at a time writes to the activities' lane.
#pragma once

#include <cstddef>
#include <cstdint>

#include "spool/activities.h"

namespace ompdm::record {

/// CUPTI's callbacks (cuptiActivityRegisterCallbacks).
void request_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records);
void complete_buffer(void* context, std::uint32_t stream, std::uint8_t* buffer, std::size_t size,
                     std::size_t valid);

/// A device to be described in the activities' lane, once there is one; `name` is kept.
void note_cuda_device(const spool::CudaDevice& device, const char* name) noexcept;

/// CUPTI's clock beside ours, now.
void note_cupti_clock() noexcept;

/// In a fork's child.
void forget_activities() noexcept;

}  // namespace ompdm::record
