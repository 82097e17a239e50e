// Which API routine a data operation outside any region belongs to, and where it was called. Of the
// asynchronous ones the runtime makes tasks, which run on threads of its own: the call is noted in
// the task's data when the task is made, and read there when the operation comes.
#pragma once

#include "record/runtime/ompt.h"
#include "record/stream/lane.h"
#include "spool_format/definitions.h"

namespace ompdm::record {

/// An API call as an operation's record needs it.
struct ApiCall {
  const void* codeptr;
  std::uint64_t stack;  ///< where on the stack that lies; 0: not known
  spool::Entry entry;   ///< kNone if no wrapper saw the call
  spool::CallId id;     ///< as well
};

/// What a wrapper sees of a synchronous routine.
void note_api_call(spool::Entry entry, const void* codeptr, std::uint64_t stack) noexcept;

/// What a wrapper sees of an asynchronous one: the next task that the runtime makes on this thread
/// is its.
void note_async_call(spool::Entry entry, const void* codeptr) noexcept;

/// The call that an operation with this codeptr_ra belongs to.
ApiCall api_call_of(Lane& lane, const void* codeptr) noexcept;

/// ompt_callback_task_create_t (OpenMP 5.2, 19.5.2.7).
OMPDM_ON_ANY_STACK void on_task_create(ompt_data_t* encountering_task, const ompt_frame_t* frame,
                                       ompt_data_t* new_task, int flags, int has_dependences,
                                       const void* codeptr);

/// Takes the entry points of this runtime that are needed for the asynchronous routines.
void prepare_api_calls(ompt_function_lookup_t lookup) noexcept;

}  // namespace ompdm::record
