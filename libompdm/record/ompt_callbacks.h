// The OMPT callbacks: regions, data operations and launches become records. Called from any thread,
// inside the user's process; locks and system calls only where a chunk, a buffer or a site is new.
#pragma once

#include <cstddef>
#include <cstdint>

#include "record/hashing.h"
#include "record/ompt.h"
#include "record/thread_buffer.h"
#include "spool_format/aggregates.h"
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

/// The open region of an operation; null for API calls, and after the region's end.
inline OpenRegion* region_of(ThreadBuffer& buffer, const ompt_data_t* target) noexcept {
  OpenRegion* top = buffer.next - 1;
  return target != nullptr && target->value == top->handle ? top : nullptr;
}

/// Records the begin of a region at `begin` (ticks; 0: now), and sets its context and `ops`. Call,
/// site and path are set. `kind` is kContextKind, and above it the number of the sample if this is
/// one. False (and a loss counted) if there is no room.
bool record_begin(ThreadBuffer& buffer, OpenRegion& open, std::uint64_t kind,
                  std::uint64_t begin) noexcept;

/// Records the end of a region, which always fits (kRoomForEnds).
void record_end(ThreadBuffer& buffer, std::uint64_t end) noexcept;

/// The host address of an operation; 0 for a delete, which the runtime reports without it.
std::uint64_t host_address(const Operation& op) noexcept;

/// Records an operation of a recorded region. False (and a loss counted) if there is no room.
bool record_region_op(ThreadBuffer& buffer, OpenRegion& region, const Operation& op,
                      std::uint64_t begin, std::uint64_t end) noexcept;
/// The same outside of regions. `sample` is the number of the sample, 0 if this is none.
bool record_api_op(ThreadBuffer& buffer, const Origin& origin, const Operation& op,
                   std::uint64_t begin, std::uint64_t end, std::uint32_t sample) noexcept;

/// Records a launch at `begin` (ticks; 0: now), in a recorded region or outside of regions (null).
/// False (and a loss counted) if there is no room.
bool record_launch(ThreadBuffer& buffer, const OpenRegion* region, unsigned requested_teams,
                   std::uint64_t begin) noexcept;
/// Records the end of a launch, which always fits (kRoomForEnds).
void record_launch_end(ThreadBuffer& buffer, std::uint64_t end) noexcept;

/// Records a region without an end, known by its call alone: the runtime has no EMI callbacks.
void record_call_only(const Call& call) noexcept;

/// Notes the call of a synchronous API routine.
void note_api_call(spool::Entry entry, const void* codeptr, std::uint64_t stack) noexcept;

/// Notes the call of an asynchronous API routine. The runtime makes a task of it, which may run on
/// another thread. So the call is kept in the data of the next task that this thread makes.
void note_async_call(spool::Entry entry, const void* codeptr) noexcept;

/// ompt_callback_task_create_t (OpenMP 5.2, 19.5.2.7).
OMPDM_ON_ANY_STACK void on_task_create(ompt_data_t* encountering_task, const ompt_frame_t* frame,
                                       ompt_data_t* new_task, int flags, int has_dependences,
                                       const void* codeptr);

/// Looks up the runtime's entry points for asynchronous API routines.
void prepare_api_calls(ompt_function_lookup_t lookup) noexcept;

/// Whether a task's data holds the place where a directive with nowait created it.
inline bool is_deferral(const ompt_data_t& task) noexcept {
  constexpr unsigned kEntryAt = 48;
  return (task.value >> kEntryAt) == static_cast<std::uint64_t>(spool::Entry::kDeferral);
}

/// Records the creation of a task for a directive with nowait, called from `codeptr`, and keeps its
/// place in the task's data.
void note_deferral(const ompt_frame_t* frame, ompt_data_t& task, const void* codeptr) noexcept;

/// Whether events of a region (null: outside of regions) are aggregated.
inline bool is_aggregated(const OpenRegion* region) noexcept {
  return region != nullptr ? region->aggregated
                           : recorder.aggregating.load(std::memory_order_relaxed);
}

/// Aggregates a region that ends at `end` (ticks).
void aggregate_region(ThreadBuffer& buffer, const OpenRegion& region, std::uint64_t end) noexcept;

/// Aggregates an operation of an aggregated region or of an API call.
void aggregate_op(ThreadBuffer& buffer, const Origin& origin, const Operation& op,
                  std::uint64_t begin, std::uint64_t end) noexcept;

/// The number of the sample of an aggregated operation, which may be recorded only at its end. 0 if
/// there is no memory.
std::uint32_t sample_of_op(ThreadBuffer& buffer, const Origin& origin,
                           const Operation& op) noexcept;

/// The same of a launch in an aggregated region.
std::uint32_t sample_of_launch(ThreadBuffer& buffer, const OpenRegion& region) noexcept;

/// Aggregates a launch in an aggregated region.
void aggregate_launch(ThreadBuffer& buffer, const OpenRegion& region, unsigned requested_teams,
                      std::uint64_t begin, std::uint64_t end) noexcept;

}  // namespace ompdm::record
