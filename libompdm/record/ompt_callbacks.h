#pragma once

#include "record/hashing.h"
#include "record/ompt.h"
#include "record/thread_buffer.h"
#include "spool_format/definitions.h"

namespace ompdm::record {

/// ompt_callback_target_emi_t (OpenMP 5.2, 19.5.2.26).
OMPDM_ON_ANY_STACK void on_target(ompt_target_t kind, ompt_scope_endpoint_t endpoint, int device,
                                  ompt_data_t* task, ompt_data_t* target_task, ompt_data_t* target,
                                  const void* codeptr);

/// ompt_callback_target_data_op_emi_t (OpenMP 5.2, 19.5.2.25).
OMPDM_ON_ANY_STACK void on_data_op(ompt_scope_endpoint_t endpoint, ompt_data_t* target_task,
                                   ompt_data_t* target, ompt_id_t* host_op_id,
                                   ompt_target_data_op_t optype, void* src, int src_device,
                                   void* dst, int dst_device, std::size_t bytes,
                                   const void* codeptr);

/// ompt_callback_target_submit_emi_t (OpenMP 5.2, 19.5.2.28).
OMPDM_ON_ANY_STACK void on_submit(ompt_scope_endpoint_t endpoint, ompt_data_t* target,
                                  ompt_id_t* host_op_id, unsigned requested_teams);

/// The open region that an operation belongs to, or null: API calls, and what comes after a
/// region's end.
inline OpenRegion* region_of(ThreadBuffer& buffer, const ompt_data_t* target) noexcept {
  OpenRegion* top = buffer.next - 1;
  return target != nullptr && target->value == top->handle ? top : nullptr;
}

/// Tells that a region began at `begin` (ticks; 0: now), whose call, site and way are known: its
/// context and `ops` are set. `kind` is kContextKind, its sample's number above it if it is one.
/// False (and a loss counted) if there is no room.
bool record_begin(ThreadBuffer& buffer, OpenRegion& open, std::uint64_t kind,
                  std::uint64_t begin) noexcept;

/// Tells an end. There is always room for it (kRoomForEnds).
void record_end(ThreadBuffer& buffer, std::uint64_t end) noexcept;

/// Of the storage that a map item may name, 0 if the runtime does not tell it: a delete has the
/// device's alone.
std::uint64_t host_address(const Operation& op) noexcept;

/// Tells an operation of a region that is told. False (and a loss counted) if there is no room.
bool record_region_op(ThreadBuffer& buffer, OpenRegion& region, const Operation& op,
                      std::uint64_t begin, std::uint64_t end) noexcept;
/// The same of one outside of regions; `sample`: its number if it is one, else 0.
bool record_api_op(ThreadBuffer& buffer, const Origin& origin, const Operation& op,
                   std::uint64_t begin, std::uint64_t end, std::uint32_t sample) noexcept;

/// Tells that a kernel was submitted at `begin` (ticks; 0: now), of a region that is told, or of
/// none (null). False (and a loss counted) if there is no room.
bool record_launch(ThreadBuffer& buffer, const OpenRegion* region, unsigned requested_teams,
                   std::uint64_t begin) noexcept;
/// Tells its end. There is always room for it (kRoomForEnds).
void record_launch_end(ThreadBuffer& buffer, std::uint64_t end) noexcept;

/// Where the runtime has no EMI callbacks: a region known by its call alone, which has no end.
void record_call_only(const Call& call) noexcept;

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
ApiCall api_call_of(ThreadBuffer& buffer, const void* codeptr) noexcept;

/// ompt_callback_task_create_t (OpenMP 5.2, 19.5.2.7).
OMPDM_ON_ANY_STACK void on_task_create(ompt_data_t* encountering_task, const ompt_frame_t* frame,
                                       ompt_data_t* new_task, int flags, int has_dependences,
                                       const void* codeptr);

/// Takes the entry points of this runtime that are needed for the asynchronous routines.
void prepare_api_calls(ompt_function_lookup_t lookup) noexcept;

/// Whether a task's data tells where it was made.
inline bool is_deferral(const ompt_data_t& task) noexcept {
  constexpr unsigned kEntryAt = 48;
  return (task.value >> kEntryAt) == static_cast<std::uint64_t>(spool::Entry::kDeferral);
}

/// A task that runs a directive was made by the call that returns to `codeptr`.
void note_deferral(const ompt_frame_t* frame, ompt_data_t& task, const void* codeptr) noexcept;

/// A region of the buffer begins in such a task.
[[gnu::cold]] void note_deferred_region(ThreadBuffer& buffer, const ompt_data_t& task) noexcept;

}  // namespace ompdm::record
