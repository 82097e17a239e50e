#include "record/cupti/activity_tallies.h"

#include "record/stream/tallies.h"
#include "spool_format/tallies.h"

namespace ompdm::record {
namespace {

// What is alike: grids and blocks are the example's.
TallyKey key_of(const Activity& activity, std::uint64_t id) noexcept {
  if (activity.tag == spool::Tag::kKernelActivity) {
    const spool::KernelActivity& kernel = activity.kernel;
    return {id, std::uint64_t{number(kernel.name)} << 8U, kernel.device};
  }
  const spool::MemoryActivity& memory = activity.memory;
  return {id,
          1U | static_cast<std::uint64_t>(activity.work) << 8U |
              std::uint64_t{memory.copy_kind} << 16U | std::uint64_t{memory.source_kind} << 24U |
              std::uint64_t{memory.destination_kind} << 32U,
          memory.device | std::uint64_t{memory.source_device} << 16U |
              std::uint64_t{memory.destination_device} << 32U};
}

bool make_activity_tally(Lane& lane, TallySlot& slot, const Activity& activity,
                         std::uint64_t id) noexcept {
  spool::Tally* room = tally_room(lane.tallies, sizeof(spool::ActivityTally));
  if (room == nullptr) {
    return false;
  }
  auto* made = reinterpret_cast<spool::ActivityTally*>(room);
  made->tally.lane = lane.id;
  made->owner_lane =
      spool::LaneId{static_cast<std::uint32_t>((id & ~spool::kCountedExternal) >> 32U)};
  made->owner = static_cast<std::uint32_t>(id);
  auto of = spool::ActivityTallyOf::kKernel;
  if (activity.tag == spool::Tag::kKernelActivity) {
    made->kernel = activity.kernel;
  } else {
    of = spool::ActivityTallyOf::kMemory;
    made->memory = activity.memory;
    made->memory.head.flags = static_cast<std::uint8_t>(activity.work);
  }
  store_head(made->tally.head, spool::Tag::kActivityTally, static_cast<std::uint8_t>(of),
             sizeof(spool::ActivityTally));
  slot.tally = &made->tally;
  slot.example = 1;  // it lies in its tally
  ++lane.tallies.count;
  return true;
}

}  // namespace

void count_activity(Lane& lane, const Activity& activity, std::uint64_t id) noexcept {
  TallySlot* slot = slot_of(lane.tallies, key_of(activity, id));
  if (slot == nullptr || (slot->example == 0 && !make_activity_tally(lane, *slot, activity, id))) {
    return count_loss(spool::Loss::kActivitiesDropped);
  }
  const bool is_kernel = activity.tag == spool::Tag::kKernelActivity;
  if (!is_kernel) {
    spool::add_bytes(*slot->tally, activity.memory.bytes);
  }
  const std::uint64_t begin = is_kernel ? activity.kernel.begin : activity.memory.begin;
  const std::uint64_t end = is_kernel ? activity.kernel.end : activity.memory.end;
  spool::add(slot->tally->times, end > begin ? end - begin : 0);
}

}  // namespace ompdm::record
