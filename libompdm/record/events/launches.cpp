#include "record/cupti/cupti.h"
#include "record/events/regions.h"
#include "record/process/clock.h"
#include "record/stream/inside.h"

namespace ompdm::record {
namespace {

// Committed open, as regions are, so that the kernel a process died in is there.
void begin_launch(Lane& lane, const ompt_data_t* target, unsigned requested_teams) noexcept {
  auto* record = reserve<spool::Launch>(lane);
  if (record == nullptr) {
    return;
  }
  record->requested_teams = requested_teams;
  if (const OpenRegion* region = region_of(lane, target)) {
    record->region = region->id;
    record->kernel = region->call.kernel.host_pointer;
    record->trip_count = region->call.kernel.trip_count;
    record->num_teams = region->call.kernel.num_teams;
    record->thread_limit = region->call.kernel.thread_limit;
  }
  record->begin = ticks();
  commit(lane, record, spool::Tag::kLaunch, 0);
  if (lane.launch != nullptr) {
    count_loss(spool::Loss::kOpsUnmatched);
  }
  lane.launch = record;
  lane.launch_chunk = lane.chunk.base;
  begin_external(lane.id, record->begin);
}

void end_launch(Lane& lane, std::uint64_t now) noexcept {
  if (lane.launch == nullptr) {
    count_loss(spool::Loss::kOpsUnmatched);
    return;
  }
  __atomic_store_n(&lane.launch->end, now, __ATOMIC_RELEASE);
  lane.launch = nullptr;
  release_unused(lane, lane.launch_chunk);
}

}  // namespace

void on_submit(ompt_scope_endpoint_t endpoint, ompt_data_t* target, ompt_id_t* /*host_op_id*/,
               unsigned requested_teams) {
  const std::uint64_t now = endpoint == ompt_scope_begin ? 0 : ticks();
  if (!recording()) {
    return;
  }
  const Inside inside;
  Lane* lane = inside ? current_lane() : nullptr;
  if (lane == nullptr) {
    return;
  }
  if (endpoint != ompt_scope_end) {
    begin_launch(*lane, target, requested_teams);
  }
  if (endpoint != ompt_scope_begin) {
    end_external();
    end_launch(*lane, now);
  }
}

}  // namespace ompdm::record
