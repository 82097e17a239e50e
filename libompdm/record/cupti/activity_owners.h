// Who asked the driver for what: external ids by CUPTI's correlation numbers, and the activities
// that came before their call's id. CUPTI tells calls and activities by buffers of their own, which
// come back in any order. Memory is mapped once; the activities' lock is held.
#pragma once

#include <cstdint>

#include "record/cupti/device_activity.h"

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

}  // namespace ompdm::record
