// What is in CUPTI's buffers, written to the spool.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ompdm::record {

/// Writes the records in a buffer's first `valid` bytes, and counts those that CUPTI dropped
/// before. Where nothing is recorded any more they are counted as lost (activities_late).
void write_activities(void* context, std::uint32_t stream, std::uint8_t* buffer,
                      std::size_t valid) noexcept;

}  // namespace ompdm::record
