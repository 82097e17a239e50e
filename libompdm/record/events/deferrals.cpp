#include "record/events/deferrals.h"

#include "record/process/clock.h"
#include "record/process/recorder.h"
#include "record/stream/inside.h"
#include "record/stream/paths.h"
#include "record/stream/sites.h"

namespace ompdm::record {
namespace {

constexpr unsigned kLaneAt = 32;
constexpr unsigned kEntryAt = 48;
constexpr std::uint64_t kMostLanes = 1U << (kEntryAt - kLaneAt);

// Where the return address of the program's call lies; 0 if the runtime does not tell.
std::uint64_t place_of_return(const ompt_frame_t* frame, const void* codeptr) noexcept {
  constexpr std::uint64_t kNear = 16384;  // the runtime's own frames up to its entry point's
  if (frame == nullptr) {
    return 0;
  }
  const auto here = reinterpret_cast<std::uint64_t>(__builtin_frame_address(0));
  const std::uint64_t place = frame->enter_frame.value + sizeof(codeptr);
  if (place % sizeof(codeptr) != 0 || place - here > kNear) {
    return 0;
  }
  return *reinterpret_cast<const void* const*>(place) == codeptr ? place : 0;
}

}  // namespace

void note_deferral(const ompt_frame_t* frame, ompt_data_t& task, const void* codeptr) noexcept {
  const Inside inside;
  Lane* lane = inside && recording() ? current_lane() : nullptr;
  if (recorder.counting.load(std::memory_order_relaxed)) {
    return;
  }
  if (lane == nullptr || number(lane->id) >= kMostLanes) {
    return;
  }
  Call call{};
  call.codeptr = codeptr;
  call.stack = place_of_return(frame, codeptr);
  if (call.stack == 0) [[unlikely]] {
    // LLVM leaves a frame of its own there, once `teams` ran on this thread.
    call.stack = find_return(*lane, codeptr);
  }
  call.entry = spool::Entry::kDeferral;
  SiteSlot* site = call.stack != 0 ? site_of(*lane, call) : nullptr;
  const spool::PathId path =
      site != nullptr ? way_of(*lane, *site, call).path : spool::PathId::kNone;
  auto* record = reserve<spool::Deferral>(*lane);
  if (record == nullptr) {
    return;
  }
  record->id = spool::give_next(lane->last_deferral);
  record->ticks = ticks();
  record->path = path;
  commit(*lane, record, spool::Tag::kDeferral, 0);
  task.value = static_cast<std::uint64_t>(spool::Entry::kDeferral) << kEntryAt |
               std::uint64_t{number(lane->id)} << kLaneAt | number(lane->last_deferral);
}

void note_deferred_region(Lane& lane, const ompt_data_t& task) noexcept {
  auto* record = reserve<spool::DeferredRegion>(lane);
  if (record == nullptr) {
    return;
  }
  record->lane = static_cast<spool::LaneId>(task.value >> kLaneAt & (kMostLanes - 1));
  record->deferral = static_cast<spool::DeferralId>(task.value);
  commit(lane, record, spool::Tag::kDeferredRegion, 0);
}

}  // namespace ompdm::record
