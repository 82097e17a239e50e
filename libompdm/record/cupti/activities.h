// What is in CUPTI's buffers, told or counted in the spool.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ompdm::record {

/// Tells or counts the records in a buffer's first `valid` bytes, and counts those that CUPTI
/// dropped before. Where nothing is recorded any more they are counted as lost (activities_late).
void write_activities(void* context, std::uint32_t stream, std::uint8_t* buffer,
                      std::size_t valid) noexcept;

/// Waits, a second at most, until whoever writes activities has done so (after the phase has
/// changed no other will begin), and takes those whose owner has not become known for nobody's.
void settle_activities() noexcept;

}  // namespace ompdm::record
