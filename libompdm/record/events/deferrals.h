// Directives that are run by tasks (`nowait`): where and when the task was made is noted in the
// task's data, and told when the directive's region begins, on whichever thread. Called in
// callbacks.
#pragma once

#include "record/runtime/ompt.h"
#include "record/stream/lane.h"

namespace ompdm::record {

/// Whether a task's data tells where it was made.
inline bool is_deferral(const ompt_data_t& task) noexcept {
  constexpr unsigned kEntryAt = 48;
  return (task.value >> kEntryAt) == static_cast<std::uint64_t>(spool::Entry::kDeferral);
}

/// A task that runs a directive was made by the call that returns to `codeptr`.
void note_deferral(const ompt_frame_t* frame, ompt_data_t& task, const void* codeptr) noexcept;

/// A region of the lane begins in such a task.
[[gnu::cold]] void note_deferred_region(Lane& lane, const ompt_data_t& task) noexcept;

}  // namespace ompdm::record
