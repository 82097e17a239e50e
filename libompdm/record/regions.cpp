#include "record/regions.h"

#include "record/clock.h"
#include "record/cupti.h"
#include "record/inside.h"
#include "record/sites.h"

namespace ompdm::record {
namespace {

constexpr std::uint32_t kClockEvery =
    1024;  // regions between two refreshes of the chunk's clock triple

struct Facts {
  SiteSlot* site;
  std::uint32_t list;
  std::int32_t device;
  std::uint8_t flags;
};

bool write_whole(Lane& lane, const Facts& facts, OpenRegion& open) noexcept {
  auto* record = reserve<spool::Region>(lane);
  if (record == nullptr) {
    return false;
  }
  const std::uint32_t id = ++lane.next_region;
  const std::uint64_t begin = ticks();
  record->site = facts.site != nullptr ? facts.site->id : 0;
  record->id = id;
  record->map_list = facts.list;
  record->device = facts.device;
  record->begin = begin;
  commit(lane, record, spool::Tag::kRegion, facts.flags);
  if (SiteSlot* site = facts.site) {
    site->whole_region = id;
    site->whole_list = facts.list;
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
  if (site == nullptr || site->whole_region == 0 || site->whole_list != facts.list ||
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
  open.id = ++lane.next_region;
  open.whole = nullptr;
  open.repeated = record;
  open.repeated_times = 0;
  return true;
}

bool write_region(Lane& lane, const void* codeptr, const Call* call, std::uint8_t flags, int device,
                  OpenRegion& open) noexcept {
  Facts facts{nullptr, 0, device, flags};
  if (call != nullptr) [[likely]] {
    facts.site = site_of(lane, codeptr, call->ident, call->entry, call->map.names, call->map.count,
                         call->kernel.host_pointer);
    facts.list = facts.site != nullptr ? map_list_of(lane, *facts.site, call->map) : 0;
  } else {
    facts.site = site_of(lane, codeptr, nullptr, spool::Entry::kNone, nullptr, 0, 0);
    if (recorder.config.names) {
      count_loss(spool::Loss::kNamesUnavailable);
    }
  }
  open.site = facts.site;
  const bool written = write_repeated(lane, facts, open) || write_whole(lane, facts, open);
  if (lane.next_region % kClockEvery == 0) {
    refresh_clock(lane);
  }
  return written;
}

void begin_region(ompt_target_t kind, int device, ompt_data_t* target,
                  const void* codeptr) noexcept {
  Lane* lane = current_lane();
  if (lane == nullptr) {
    return;
  }
  if (recorder.wrappers_only.load(std::memory_order_relaxed)) [[unlikely]] {
    recorder.wrappers_only.store(false);
  }
  const Call* noted = this_thread.call;
  this_thread.call = nullptr;
  if (lane->depth == Lane::kMostOpen) {
    count_loss(spool::Loss::kRegionsUnmatched);
    return;
  }
  OpenRegion& open = lane->open[lane->depth];
  if (noted == nullptr || noted->codeptr != codeptr) {
    open.call = {};
    noted = nullptr;
  } else if (noted != &open.call) {
    open.call = *noted;
  }
  std::uint64_t handle = 0;
  if (write_region(*lane, codeptr, noted, static_cast<std::uint8_t>(kind) & spool::kRegionKindMask,
                   device, open)) {
    open.chunk = lane->chunk;
    open.moves = false;
    ++lane->depth;
    handle = handle_of(*lane, open.id);
    begin_external(lane->id, open.begin);
  }
  if (target != nullptr) {
    target->value = handle;
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
  }
  __atomic_store_n(&region.repeated->duration, duration, __ATOMIC_RELEASE);
}

void close_top(Lane& lane, std::uint64_t end) noexcept {
  const OpenRegion& closed = lane.open[lane.depth - 1];
  if (closed.repeated != nullptr) [[likely]] {
    close_repeated(lane, closed, end);
  } else {
    __atomic_store_n(&closed.whole->end, end, __ATOMIC_RELEASE);
  }
  --lane.depth;
  release_unused(lane, closed.chunk);
}

void end_region(std::uint64_t now, const ompt_data_t* target) noexcept {
  Lane* lane = this_thread.lane;
  if (lane == nullptr || target == nullptr || target->value == 0 ||
      this_thread.generation != recorder.generation.load(std::memory_order_relaxed)) {
    return;
  }
  unsigned depth = lane->depth;
  while (depth > 0 && handle_of(*lane, lane->open[depth - 1].id) != target->value) {
    --depth;
  }
  if (depth == 0) {
    count_loss(spool::Loss::kRegionsUnmatched);
    return;
  }
  // What lies above never got its end; it is closed with what encloses it.
  while (lane->depth > depth) {
    count_loss(spool::Loss::kRegionsUnmatched);
    close_top(*lane, now);
  }
  const std::uint32_t id = lane->open[lane->depth - 1].id;
  close_top(*lane, now);
  if (lane->content.pending_count != 0) {
    examine_arrived(*lane, id);
  }
}

}  // namespace

void on_target(ompt_target_t kind, ompt_scope_endpoint_t endpoint, int device,
               ompt_data_t* /*task*/, ompt_data_t* /*target_task*/, ompt_data_t* target,
               const void* codeptr) {
  const std::uint64_t now = endpoint == ompt_scope_begin ? 0 : ticks();
  if (!recording()) {
    return;
  }
  const Inside inside;
  if (!inside) {
    return;
  }
  if (endpoint != ompt_scope_end) {
    begin_region(kind, device, target, codeptr);
  }
  if (endpoint != ompt_scope_begin) {
    end_external();
    end_region(now, target);
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
  write_region(*lane, call.codeptr, &call,
               static_cast<std::uint8_t>(kind | spool::kRegionFromWrapper),
               static_cast<int>(call.device), never_closed);
}

}  // namespace ompdm::record
