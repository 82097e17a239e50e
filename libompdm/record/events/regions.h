// The OMPT callbacks: regions, data operations and submits become records. Called from any thread,
// inside the user's process; locks and system calls only where a chunk, a lane or a site is new.
#pragma once

#include "record/runtime/ompt.h"
#include "record/stream/lane.h"

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
inline OpenRegion* region_of(Lane& lane, const ompt_data_t* target) noexcept {
  OpenRegion* top = lane.next - 1;
  return target != nullptr && target->value == top->handle ? top : nullptr;
}

/// Where the runtime has no EMI callbacks: a region known by its call alone, which has no end.
void record_call_only(const Call& call) noexcept;

}  // namespace ompdm::record
