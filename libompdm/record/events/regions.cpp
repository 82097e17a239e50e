#include "record/events/regions.h"

#include "record/cupti/cupti.h"
#include "record/events/content.h"
#include "record/events/deferrals.h"
#include "record/modules/modules.h"
#include "record/process/clock.h"
#include "record/stream/inside.h"
#include "record/stream/paths.h"
#include "record/stream/sites.h"

namespace ompdm::record {
namespace {

constexpr std::uint32_t kClockEvery =
    1024;  // regions between two refreshes of the chunk's clock triple

struct Facts {
  SiteSlot* site;
  spool::MapListId list;
  spool::PathId path;
  std::int32_t device;
  std::uint8_t flags;
};

bool write_whole(Lane& lane, const Facts& facts, OpenRegion& open) noexcept {
  auto* record = reserve<spool::Region>(lane);
  if (record == nullptr) {
    return false;
  }
  const spool::RegionId id = spool::give_next(lane.last_region);
  const std::uint64_t begin = ticks();
  record->site = facts.site != nullptr ? facts.site->id : spool::SiteId::kNone;
  record->id = id;
  record->map_list = facts.list;
  record->device = facts.device;
  record->path = facts.path;
  record->begin = begin;
  commit(lane, record, spool::Tag::kRegion, facts.flags);
  if (SiteSlot* site = facts.site) {
    site->whole_region = id;
    site->whole_list = facts.list;
    site->whole_path = facts.path;
    site->whole_device = facts.device;
    site->whole_sequence = lane.sequence;
    site->whole_flags = facts.flags;
    site->whole_op_count = 0;
  }
  lane.last_begin = begin;
  open.begin = begin;
  open.id = id;
  open.whole = record;
  open.repeated = nullptr;
  return true;
}

// False if the region does not repeat the last whole one of its site in this chunk.
bool write_repeated(Lane& lane, const Facts& facts, OpenRegion& open) noexcept {
  const SiteSlot* site = facts.site;
  if (site == nullptr || site->whole_region == spool::RegionId::kNone ||
      site->whole_list != facts.list || site->whole_path != facts.path ||
      site->whole_device != facts.device || site->whole_flags != facts.flags ||
      site->whole_sequence != lane.sequence || !has_room<spool::RepeatedRegion>(lane)) {
    return false;
  }
  const std::uint64_t begin = ticks();
  const std::uint64_t since = begin - lane.last_begin;
  if (since > UINT32_MAX) [[unlikely]] {
    return false;
  }
  auto* record = reserve<spool::RepeatedRegion>(lane);
  record->reference = site->whole_region;
  record->since = static_cast<std::uint32_t>(since);
  commit(lane, record, spool::Tag::kRepeatedRegion, facts.flags);
  lane.last_begin = begin;
  open.begin = begin;
  open.id = spool::give_next(lane.last_region);
  open.whole = nullptr;
  open.repeated = record;
  open.repeated_times = 0;
  open.next_time = reinterpret_cast<std::byte*>(record + 1);
  return true;
}

// `open.call` is known already.
bool write_region(Lane& lane, std::uint8_t flags, int device, OpenRegion& open) noexcept {
  SiteSlot* site = site_of(lane, open.call);
  const spool::MapListId list =
      site != nullptr ? map_list_of(lane, *site, open.call.map) : spool::MapListId::kNone;
  const spool::PathId path =
      site != nullptr ? path_of(lane, *site, open.call) : spool::PathId::kNone;
  const Facts facts{site, list, path, device, flags};
  open.site = site;
  const bool written = write_repeated(lane, facts, open) || write_whole(lane, facts, open);
  if (number(lane.last_region) % kClockEvery == 0) {
    refresh_clock(lane);
  }
  return written;
}

// Of a thread's first region, or of one whose call no wrapper saw.
[[gnu::cold]] void take_call(OpenRegion& open, const Call* noted, const void* codeptr) noexcept {
  if (noted != nullptr && noted->codeptr == codeptr) {
    open.call = *noted;
    return;
  }
  open.call = {};
  open.call.codeptr = codeptr;
  scan_modules();  // a library may have been opened since, in the place of another one
  if (recorder.config.names) {
    count_loss(spool::Loss::kNamesUnavailable);
  }
}

void begin_region(ompt_target_t kind, int device, const ompt_data_t* task, ompt_data_t* target,
                  const void* codeptr) noexcept {
  const Inside inside;
  Lane* lane = inside ? current_lane() : nullptr;
  if (lane == nullptr) [[unlikely]] {
    return;
  }
  if (recorder.wrappers_only.load(std::memory_order_relaxed)) [[unlikely]] {
    recorder.wrappers_only.store(false);
  }
  const Call* noted = this_thread.call;
  this_thread.call = nullptr;
  OpenRegion& open = *lane->next;
  if (lane->next == lane->open + Lane::kMostOpen + 1) [[unlikely]] {
    count_loss(spool::Loss::kRegionsUnmatched);
    return;
  }
  if (noted != &open.call || noted->codeptr != codeptr) [[unlikely]] {
    take_call(open, noted, codeptr);
  }
  open.handle = 0;
  if (write_region(*lane, static_cast<std::uint8_t>(kind) & spool::kRegionKindMask, device, open))
      [[likely]] {
    open.handle = (std::uint64_t{number(lane->id)} + 1) << 32U | number(open.id);
    open.chunk = lane->chunk.base;
    open.moves = false;
    ++lane->next;
    begin_external(lane->id, open.begin);
    if (task != nullptr && is_deferral(*task)) [[unlikely]] {
      note_deferred_region(*lane, open.id, *task);
    }
  }
  if (target != nullptr) {
    target->value = open.handle;
  }
}

void close_repeated(Lane& lane, const OpenRegion& region, std::uint64_t end) noexcept {
  const std::uint64_t ran = end - region.begin;
  std::uint32_t duration = spool::kLongDuration;
  if (ran < spool::kLongDuration) [[likely]] {
    duration = ran != 0 ? static_cast<std::uint32_t>(ran) : 1;
  } else if (auto* record = reserve<spool::RegionEnd>(lane)) {
    record->region = region.id;
    record->end = end;
    commit(lane, record, spool::Tag::kRegionEnd, 0);
  } else {
    return;  // counted; to the reader it never ended
  }
  __atomic_store_n(&region.repeated->duration, duration, __ATOMIC_RELEASE);
}

void close_top(Lane& lane, std::uint64_t end) noexcept {
  const OpenRegion& closed = *--lane.next;
  if (closed.repeated != nullptr) [[likely]] {
    close_repeated(lane, closed, end);
  } else {
    __atomic_store_n(&closed.whole->end, end, __ATOMIC_RELEASE);
  }
  release_unused(lane, closed.chunk);
}

// Closes what lies above the region: it never got its end, and ends with what encloses it. False if
// the region is not open on this lane.
[[gnu::cold]] bool close_above(Lane& lane, std::uint64_t handle, std::uint64_t end) noexcept {
  const OpenRegion* region = lane.next - 1;
  while (region != lane.open && region->handle != handle) {
    --region;
  }
  if (region == lane.open) {
    count_loss(spool::Loss::kRegionsUnmatched);
    return false;
  }
  while (lane.next - 1 != region) {
    count_loss(spool::Loss::kRegionsUnmatched);
    close_top(lane, end);
  }
  return true;
}

void end_region(std::uint64_t now, const ompt_data_t* target) noexcept {
  const Inside inside;
  if (!inside) [[unlikely]] {
    return;
  }
  end_external();
  Lane* lane = this_thread.lane;
  if (lane == nullptr || target == nullptr || target->value == 0 ||
      (lane->next[-1].handle != target->value && !close_above(*lane, target->value, now)))
      [[unlikely]] {
    return;
  }
  close_top(*lane, now);
  if (lane->content.pending_count != 0) {
    look_at_arrived(*lane, lane->next->id);
  }
}

}  // namespace

void on_target(ompt_target_t kind, ompt_scope_endpoint_t endpoint, int device, ompt_data_t* task,
               ompt_data_t* /*target_task*/, ompt_data_t* target, const void* codeptr) {
  const std::uint64_t now = endpoint == ompt_scope_end ? ticks() : 0;
  if (!recording()) [[unlikely]] {
    return;
  }
  if (endpoint == ompt_scope_end) {
    end_region(now, target);
    return;
  }
  begin_region(kind, device, task, target, codeptr);
  if (endpoint == ompt_scope_beginend) [[unlikely]] {
    end_region(ticks(), target);
  }
}

void record_call_only(const Call& call) noexcept {
  Lane* lane = current_lane();
  if (lane == nullptr) {
    return;
  }
  static constexpr std::uint8_t kKinds[] = {0, 2, 3, 4, 2, 3, 4, 1, 1};
  static_assert(sizeof(kKinds) == static_cast<std::size_t>(spool::Entry::kKernelNowait) + 1);
  const auto kind = kKinds[static_cast<std::size_t>(call.entry)];
  OpenRegion never_closed;
  never_closed.call = call;
  write_region(*lane, static_cast<std::uint8_t>(kind | spool::kRegionFromWrapper),
               static_cast<int>(call.device), never_closed);
}

}  // namespace ompdm::record
