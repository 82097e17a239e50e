#include "record/cupti/cupti.h"
#include "record/events/regions.h"
#include "record/process/clock.h"
#include "record/stream/inside.h"

namespace ompdm::record {
namespace {

// Told at its begin, as regions are, so that the kernel a process died in is there.
void begin_launch(Lane& lane, const ompt_data_t* target, unsigned requested_teams) noexcept {
  std::byte* at = room_for(lane, spool::kMostEventBytes);
  if (at == nullptr) {
    return;
  }
  const OpenRegion* region = region_of(lane, target);
  const KernelArguments kernel = region != nullptr ? region->call.kernel : KernelArguments{};
  const spool::LaunchFields now = {kernel.host_pointer, kernel.trip_count, requested_teams,
                                   kernel.num_teams, kernel.thread_limit};
  spool::LaunchFields none = {};
  if (region != nullptr) {
    know_in_chunk(lane, *region->context);
  }
  spool::LaunchFields& last = region != nullptr ? region->context->last.launch : none;
  const std::uint64_t begin = ticks();
  spool::EventWriter event(at, spool::Event::kLaunch, begin - lane.instant);
  event.second(region != nullptr ? 1 : 0);
  if (!spool::are_equal(now, last)) {
    event.fields(now, last);
  }
  lane.cursor = event.commit();
  lane.instant = begin;
  if (lane.launches) {
    count_loss(spool::Loss::kOpsUnmatched);
  }
  lane.launches = true;
  begin_external(lane.id, begin);
}

void end_launch(Lane& lane, std::uint64_t now) noexcept {
  if (!lane.launches) {
    count_loss(spool::Loss::kOpsUnmatched);
    return;
  }
  lane.launches = false;
  lane.cursor =
      spool::EventWriter(lane.cursor, spool::Event::kLaunchEnd, now - lane.instant).commit();
  lane.instant = now;
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
