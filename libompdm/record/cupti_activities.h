// CUPTI's buffers of activities, from request to record.
#pragma once

#include <cstddef>
#include <cstdint>

#include "record/cupti_records.h"

namespace ompdm::record {

/// Notes the id that was on the thread's stack when a call was made.
void note_owner(std::uint32_t correlation, std::uint64_t id) noexcept;

/// The id of a call; 0: none is known (any more).
[[nodiscard]] std::uint64_t owner_of(std::uint32_t correlation) noexcept;

/// Keeps an activity until its owner is known. Gives back one that has to leave for it, the same
/// if there is no memory, or nothing.
[[nodiscard]] Activity keep_waiting(const Activity& activity) noexcept;

/// Takes one that waits for the id of a call; nothing if none (more) does.
[[nodiscard]] Activity take_waiting(std::uint32_t correlation) noexcept;

/// Takes any that waits; nothing if none (more) does.
[[nodiscard]] Activity take_any_waiting() noexcept;

/// In a fork's child.
void forget_owners() noexcept;

/// Tells or counts the records in a buffer's first `valid` bytes, and counts those that CUPTI
/// dropped before. Where nothing is recorded any more they are counted as lost (activities_late).
void write_activities(void* context, std::uint32_t stream, std::uint8_t* buffer,
                      std::size_t valid) noexcept;

/// Waits, a second at most, until whoever writes activities has done so (after the phase has
/// changed no other will begin), and takes those whose owner has not become known for nobody's.
void finish_activities() noexcept;

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
