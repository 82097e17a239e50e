#include "record/events/regions.h"

#include "record/cupti/cupti.h"
#include "record/events/content.h"
#include "record/events/counting.h"
#include "record/events/deferrals.h"
#include "record/modules/modules.h"
#include "record/process/clock.h"
#include "record/process/detail.h"
#include "record/stream/inside.h"
#include "record/stream/paths.h"
#include "record/stream/sites.h"

namespace ompdm::record {
namespace {

constexpr std::uint32_t kClockEvery =
    1024;  // regions between two refreshes of the chunk's clock triple

// Whether a context's items are those of a call.
inline bool has_items(const spool::Last& last, const MapArguments& map,
                      std::uint32_t count) noexcept {
  if (last.item_count != count) {
    return false;
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    const spool::MapItem item = item_of(map, i);
    if (!spool::are_equal({item.base, item.begin, item.size, item.type}, last.items[i])) {
      return false;
    }
  }
  return true;
}

// What is to be told of a region, and of which context it is.
struct Begin {
  spool::ContextFields fields;
  const MapArguments& map;
  std::uint32_t count;  // of items
  Context** home;
};

// The context that needs not be told again; null: none of the way's last ones is.
inline Context* known_context(const Lane& lane, const Begin& begin) noexcept {
  Context* before = nullptr;
  for (Context* at = *begin.home; at != nullptr && at->home == begin.home; at = at->older) {
    if (at->sequence == lane.sequence && spool::are_equal(begin.fields, at->last.context) &&
        has_items(at->last, begin.map, begin.count)) [[likely]] {
      if (before != nullptr) {
        bring_forward(begin.home, *before);
      }
      return at;
    }
    before = at;
  }
  return nullptr;
}

// One that is to be told, with room for the items. Null if there is no memory.
[[gnu::noinline]] Context* told_context(Lane& lane, const Begin& begin) noexcept {
  Context* context = take_context(lane.contexts, begin.home);
  const auto get = [&](std::size_t size) { return lane.contexts.pages.get(size); };
  if (context == nullptr || !spool::make_item_room(context->last, begin.count, get)) {
    count_loss(spool::Loss::kRecordsNoSpace);
    return nullptr;
  }
  know_in_chunk(lane, *context);
  ++context->changes;
  return context;
}

[[gnu::noinline]] void tell(spool::EventWriter& event, Context& context,
                            const Begin& begin) noexcept {
  event.fields(begin.fields, context.last.context);
  event.item_count(begin.count);
  spool::set_item_count(context.last, begin.count);
  for (std::uint32_t i = 0; i < begin.count; ++i) {
    const spool::MapItem item = item_of(begin.map, i);
    event.item({item.base, item.begin, item.size, item.type}, context.last.items[i]);
  }
}

std::uint32_t item_count(const MapArguments& map) noexcept {
  if (map.begins == nullptr) {
    return 0;
  }
  if (map.count > spool::kMostItems) {
    count_loss(spool::Loss::kRecordsTooLarge);
    return spool::kMostItems;
  }
  return map.count;
}

// `open.call` is known already. False if there was no room.
bool write_begin(Lane& lane, std::uint8_t kind, int device, OpenRegion& open) noexcept {
  SiteSlot* site = site_of(lane, open.call);
  if (site == nullptr) {
    return false;
  }
  pass_detail();
  const Way way = way_of(lane, *site, open.call);
  open.site = site;
  open.path = way.path;
  open.home = way.contexts;
  open.kind = kind;
  open.device = device;
  open.moves = false;
  open.counted = recorder.counting.load(std::memory_order_relaxed);
  if (open.counted) [[unlikely]] {
    lane.piece_count = 0;
    open.begin = ticks();
  } else if (!tell_begin(lane, open, kind, 0)) {
    return false;
  }
  if (++lane.regions % kClockEvery == 0) {
    refresh_clock(lane);
  }
  return true;
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
  if (write_begin(*lane, static_cast<std::uint8_t>(kind) & spool::kRegionKindMask, device, open))
      [[likely]] {
    open.handle = (std::uint64_t{number(lane->id)} + 1) << 32U | lane->regions;
    ++lane->next;
    if (!open.counted) [[likely]] {
      begin_external(lane->id, open.begin);
    } else if (recorder.cupti.load(std::memory_order_acquire)) {
      begin_counted_external(lane->id, 0);
    }
    if (task != nullptr && is_deferral(*task) && !open.counted) [[unlikely]] {
      note_deferred_region(*lane, *task);
    }
  }
  if (target != nullptr) {
    target->value = open.handle;
  }
}

void close_top(Lane& lane, std::uint64_t end) noexcept {
  --lane.next;
  if (lane.next->counted) [[unlikely]] {
    count_region(lane, *lane.next, end);
  } else {
    tell_end(lane, end);
  }
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
    look_at_arrived(*lane, lane->next->handle);
  }
}

}  // namespace

bool tell_begin(Lane& lane, OpenRegion& open, std::uint64_t kind, std::uint64_t begin) noexcept {
  const Begin what{{number(open.site->id), number(open.path),
                    static_cast<std::uint64_t>(static_cast<std::int64_t>(open.device)), kind},
                   open.call.map,
                   item_count(open.call.map),
                   open.home};
  // First, since nothing is known in a new chunk.
  std::byte* at = room_for(lane, spool::most_begin_bytes(what.count));
  if (at == nullptr) {
    return false;
  }
  Context* context = known_context(lane, what);
  const bool is_known = context != nullptr;
  if (!is_known) {
    context = told_context(lane, what);
    if (context == nullptr) {
      return false;
    }
  }
  open.begin = begin != 0 ? begin : ticks();
  spool::EventWriter event(at, spool::Event::kBegin, open.begin - lane.instant);
  event.second(context->id);
  if (!is_known) {
    tell(event, *context, what);
  }
  lane.cursor = event.commit();
  lane.instant = open.begin;
  open.context = context;
  open.ops = {};
  return true;
}

void tell_end(Lane& lane, std::uint64_t end) noexcept {
  lane.cursor = spool::EventWriter(lane.cursor, spool::Event::kEnd, end - lane.instant).commit();
  lane.instant = end;
}

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
  if (write_begin(*lane, static_cast<std::uint8_t>(kind | spool::kRegionFromWrapper),
                  static_cast<int>(call.device), never_closed) &&
      never_closed.counted) {
    count_region(*lane, never_closed, never_closed.begin);
  }
}

}  // namespace ompdm::record
