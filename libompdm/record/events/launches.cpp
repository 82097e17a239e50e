#include "record/cupti/cupti.h"
#include "record/events/counting.h"
#include "record/events/regions.h"
#include "record/process/clock.h"
#include "record/stream/inside.h"

namespace ompdm::record {
// Told at its begin, as regions are, so that the kernel a process died in is there.
bool tell_launch(Lane& lane, const OpenRegion* region, unsigned requested_teams,
                 std::uint64_t begin) noexcept {
  std::byte* at = room_for(lane, spool::kMostEventBytes);
  if (at == nullptr) {
    return false;
  }
  const KernelArguments kernel = region != nullptr ? region->call.kernel : KernelArguments{};
  const spool::LaunchFields now = {kernel.host_pointer, kernel.trip_count, requested_teams,
                                   kernel.num_teams, kernel.thread_limit};
  spool::LaunchFields none = {};
  if (region != nullptr) {
    know_in_chunk(lane, *region->context);
  }
  spool::LaunchFields& last = region != nullptr ? region->context->last.launch : none;
  if (begin == 0) {
    begin = ticks();
  }
  spool::EventWriter event(at, spool::Event::kLaunch, begin - lane.instant);
  event.second(region != nullptr ? 1 : 0);
  if (!spool::are_equal(now, last)) {
    event.fields(now, last);
  }
  lane.cursor = event.commit();
  lane.instant = begin;
  return true;
}

void tell_launch_end(Lane& lane, std::uint64_t end) noexcept {
  lane.cursor =
      spool::EventWriter(lane.cursor, spool::Event::kLaunchEnd, end - lane.instant).commit();
  lane.instant = end;
}

namespace {

void begin_launch(Lane& lane, const OpenRegion* region, unsigned requested_teams) noexcept {
  if (lane.launches) {
    count_loss(spool::Loss::kOpsUnmatched);
  }
  lane.launches = true;
  lane.lost_launch = false;
  lane.counts_launch = region != nullptr && region->counted;
  if (lane.counts_launch) [[unlikely]] {
    if (recorder.cupti.load(std::memory_order_acquire)) {
      begin_counted_external(lane.id, example_of_launch(lane, *region));
    }
    lane.launch_begin = ticks();
    return;
  }
  lane.lost_launch = !tell_launch(lane, region, requested_teams, 0);
  if (!lane.lost_launch) {
    begin_external(lane.id, lane.instant);
  }
}

void end_launch(Lane& lane, const OpenRegion* region, unsigned requested_teams,
                std::uint64_t now) noexcept {
  if (!lane.launches) {
    count_loss(spool::Loss::kOpsUnmatched);
    return;
  }
  lane.launches = false;
  if (lane.lost_launch) [[unlikely]] {
    return;
  }
  if (!lane.counts_launch) [[likely]] {
    tell_launch_end(lane, now);
  } else if (region != nullptr) {
    count_launch(lane, *region, requested_teams, lane.launch_begin, now);
  }
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
  const OpenRegion* region = region_of(*lane, target);
  if (endpoint != ompt_scope_end) {
    begin_launch(*lane, region, requested_teams);
  }
  if (endpoint != ompt_scope_begin) {
    end_external();
    end_launch(*lane, region, requested_teams, now);
  }
}

}  // namespace ompdm::record
