// Target regions and kernel launches: ompt_callback_target_emi and ompt_callback_target_submit_emi.

#include <cstdint>

#include "record/call_paths.h"
#include "record/clock.h"
#include "record/cupti.h"
#include "record/device_blocks.h"
#include "record/hashing.h"
#include "record/modules.h"
#include "record/ompt_callbacks.h"
#include "record/recorder.h"
#include "record/sites.h"
#include "record/thread_buffer.h"

namespace ompdm::record {

namespace {

Context* make(ContextTable& table) noexcept {
  if (table.count == ContextTable::kMost) {
    Context* taken = table.again != nullptr ? table.again : table.first;
    table.again = taken->next_made;
    return taken;
  }
  auto* made = static_cast<Context*>(table.pages.get(sizeof(Context)));
  if (made == nullptr) {
    return nullptr;
  }
  made->id = table.count++;
  (table.last_made != nullptr ? table.last_made->next_made : table.first) = made;
  table.last_made = made;
  return made;
}

// Makes the second or a later context of a call path its first. `before` is the one before it.
[[gnu::noinline]] void bring_forward(Context** home, Context& before) noexcept {
  Context* brought = before.older;
  before.older = brought->older;
  brought->older = *home;
  *home = brought;
}

// A context of a call path to be filled: a new one, or its oldest one. It becomes the first. Null
// if there is no memory.
[[gnu::noinline]] Context* take_context(ContextTable& table, Context** home) noexcept {
  unsigned count = 0;
  Context* before = nullptr;
  Context* last = nullptr;
  for (Context* at = *home; at != nullptr && at->home == home; at = at->older) {
    before = last;
    last = at;
    ++count;
  }
  if (count >= ContextTable::kOfAPath) {
    bring_forward(home, *before);
    return last;
  }
  Context* made = make(table);
  if (made != nullptr) {
    made->home = home;
    made->older = *home;
    *home = made;
  }
  return made;
}

constexpr unsigned kBufferAt = 32;
constexpr std::uint64_t kDeferralMask = (std::uint64_t{1} << kBufferAt) - 1;
constexpr unsigned kEntryAt = 48;
constexpr std::uint64_t kMostBuffers = 1U << (kEntryAt - kBufferAt);

// The place of the return address of the program's call; 0 if the runtime does not tell.
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

constexpr std::uint32_t kClockEvery = 1024;  // regions between updates of the chunk's clock triple

// Whether a context's items are those of a call.
inline bool has_items(const spool::DeltaState& last, const MapArguments& map,
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

// The begin of a region.
struct Begin {
  spool::ContextFields fields;
  const MapArguments& map;
  std::uint32_t count;  // of items
  Context** home;
};

// The context of the call path that is equal; null if none of its latest ones is.
inline Context* known_context(const ThreadBuffer& buffer, const Begin& begin) noexcept {
  Context* before = nullptr;
  for (Context* at = *begin.home; at != nullptr && at->home == begin.home; at = at->older) {
    if (at->sequence == buffer.sequence && spool::are_equal(begin.fields, at->last.context) &&
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

// A context to be filled, with room for the items. Null if there is no memory.
[[gnu::noinline]] Context* new_context(ThreadBuffer& buffer, const Begin& begin) noexcept {
  Context* context = take_context(buffer.contexts, begin.home);
  const auto get = [&](std::size_t size) { return buffer.contexts.pages.get(size); };
  if (context == nullptr || !spool::make_item_room(context->last, begin.count, get)) {
    count_loss(spool::Loss::kRecordsNoSpace);
    return nullptr;
  }
  know_in_chunk(buffer, *context);
  ++context->changes;
  return context;
}

// Whether a kind of region sends what its clauses say, and has done so when it ends.
bool sends_at_begin(std::uint64_t kind) noexcept {
  return kind == ompt_target || kind == ompt_target_enter_data;
}

// Whether an item's clause sends its data unless the device has it.
bool asks_to_send(const spool::MapItem& item) noexcept {
  constexpr std::uint64_t kOthers = kAlways | kPrivate | kLiteral | kImplicit;
  return (item.type & (kTo | kOthers)) == kTo && item.size != 0;
}

[[gnu::noinline]] void tell(spool::EventWriter& event, Context& context,
                            const Begin& begin) noexcept {
  event.fields(begin.fields, context.last.context);
  event.item_count(begin.count);
  spool::set_item_count(context.last, begin.count);
  context.to_items = 0;
  const bool sends = sends_at_begin(begin.fields[spool::kContextKind]);
  for (std::uint32_t i = 0; i < begin.count; ++i) {
    const spool::MapItem item = item_of(begin.map, i);
    event.item({item.base, item.begin, item.size, item.type}, context.last.items[i]);
    if (sends && i < kMostUnsent && asks_to_send(item)) {
      context.to_items |= std::uint64_t{1} << i;
    }
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

// Begins a region whose call is set. False if there is no room.
bool write_begin(ThreadBuffer& buffer, std::uint8_t kind, int device, OpenRegion& open) noexcept {
  SiteSlot* site = site_of(buffer, open.call);
  if (site == nullptr) {
    return false;
  }
  check_window();
  const CallPath way = call_path_of(buffer, *site, open.call);
  open.site = site;
  open.path = way.path;
  open.home = way.contexts;
  open.kind = kind;
  open.device = device;
  open.moves = false;
  open.aggregated = recorder.aggregating.load(std::memory_order_relaxed);
  if (open.aggregated) [[unlikely]] {
    buffer.piece_count = 0;
    open.begin = ticks();
  } else if (!record_begin(buffer, open, kind, 0)) {
    return false;
  }
  if (++buffer.regions % kClockEvery == 0) {
    refresh_clock(buffer);
  }
  return true;
}

// Sets the call of a thread's first region, or of a region whose call no wrapper saw.
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

// Records that a region of this buffer begins in a task of a directive with nowait.
[[gnu::cold, gnu::noinline]] void note_deferred_region(ThreadBuffer& buffer,
                                                       const ompt_data_t& task) noexcept {
  const auto by = static_cast<spool::BufferId>(task.value >> kBufferAt & (kMostBuffers - 1));
  const auto deferral = static_cast<spool::DeferralId>(task.value & kDeferralMask);
  write_record(buffer, spool::DeferredRegion{{}, by, deferral, 0}, spool::Tag::kDeferredRegion);
}

void begin_region(ompt_target_t kind, int device, const ompt_data_t* task, ompt_data_t* target,
                  const void* codeptr) noexcept {
  const Inside inside;
  ThreadBuffer* buffer = inside ? current_buffer() : nullptr;
  if (buffer == nullptr) [[unlikely]] {
    return;
  }
  if (recorder.wrappers_only.load(std::memory_order_relaxed)) [[unlikely]] {
    recorder.wrappers_only.store(false);
  }
  const Call* noted = this_thread.call;
  this_thread.call = nullptr;
  OpenRegion& open = *buffer->next;
  if (buffer->next == buffer->open + ThreadBuffer::kMostOpen + 1) [[unlikely]] {
    count_loss(spool::Loss::kRegionsUnmatched);
    return;
  }
  if (noted != &open.call || noted->codeptr != codeptr) [[unlikely]] {
    take_call(open, noted, codeptr);
  }
  open.handle = 0;
  if (write_begin(*buffer, static_cast<std::uint8_t>(kind) & spool::kRegionKindMask, device, open))
      [[likely]] {
    open.handle = (std::uint64_t{number(buffer->id)} + 1) << 32U | buffer->regions;
    ++buffer->next;
    if (!open.aggregated) [[likely]] {
      begin_external(buffer->id, open.begin);
    } else if (recorder.cupti.load(std::memory_order_acquire)) {
      begin_aggregated_external(buffer->id, 0);
    }
    if (task != nullptr && is_deferral(*task) && !open.aggregated) [[unlikely]] {
      note_deferred_region(*buffer, *task);
    }
  }
  if (target != nullptr) {
    target->value = open.handle;
  }
}

void close_top(ThreadBuffer& buffer, std::uint64_t end) noexcept {
  --buffer.next;
  if (buffer.next->aggregated) [[unlikely]] {
    aggregate_region(buffer, *buffer.next, end);
  } else {
    record_end(buffer, end);
  }
}

// Closes the regions above this one, which never got an end. False if the region is not open in
// this buffer.
[[gnu::cold]] bool close_above(ThreadBuffer& buffer, std::uint64_t handle,
                               std::uint64_t end) noexcept {
  const OpenRegion* region = buffer.next - 1;
  while (region != buffer.open && region->handle != handle) {
    --region;
  }
  if (region == buffer.open) {
    count_loss(spool::Loss::kRegionsUnmatched);
    return false;
  }
  while (buffer.next - 1 != region) {
    count_loss(spool::Loss::kRegionsUnmatched);
    close_top(buffer, end);
  }
  return true;
}

void end_region(std::uint64_t now, const ompt_data_t* target) noexcept {
  const Inside inside;
  if (!inside) [[unlikely]] {
    return;
  }
  end_external();
  ThreadBuffer* buffer = this_thread.buffer;
  if (buffer == nullptr || target == nullptr || target->value == 0 ||
      (buffer->next[-1].handle != target->value && !close_above(*buffer, target->value, now)))
      [[unlikely]] {
    return;
  }
  close_top(*buffer, now);
  if (buffer->content.pending_count != 0) {
    hash_arrived(*buffer, buffer->next->handle);
  }
  if (buffer->next->to_items != 0 && recorder.contents && !buffer->next->aggregated) {
    hash_unsent(*buffer, *buffer->next);
  }
}

void begin_launch(ThreadBuffer& buffer, const OpenRegion* region,
                  unsigned requested_teams) noexcept {
  if (buffer.launches) {
    count_loss(spool::Loss::kOpsUnmatched);
  }
  buffer.launches = true;
  buffer.lost_launch = false;
  buffer.aggregates_launch = region != nullptr && region->aggregated;
  if (buffer.aggregates_launch) [[unlikely]] {
    if (recorder.cupti.load(std::memory_order_acquire)) {
      begin_aggregated_external(buffer.id, sample_of_launch(buffer, *region));
    }
    buffer.launch_begin = ticks();
    return;
  }
  buffer.lost_launch = !record_launch(buffer, region, requested_teams, 0);
  if (!buffer.lost_launch) {
    begin_external(buffer.id, buffer.instant);
  }
}

void end_launch(ThreadBuffer& buffer, const OpenRegion* region, unsigned requested_teams,
                std::uint64_t now) noexcept {
  if (!buffer.launches) {
    count_loss(spool::Loss::kOpsUnmatched);
    return;
  }
  buffer.launches = false;
  if (buffer.lost_launch) [[unlikely]] {
    return;
  }
  if (!buffer.aggregates_launch) [[likely]] {
    record_launch_end(buffer, now);
  } else if (region != nullptr) {
    aggregate_launch(buffer, *region, requested_teams, buffer.launch_begin, now);
  }
}

}  // namespace

void note_deferral(const ompt_frame_t* frame, ompt_data_t& task, const void* codeptr) noexcept {
  const Inside inside;
  ThreadBuffer* buffer = inside && recording() ? current_buffer() : nullptr;
  if (recorder.aggregating.load(std::memory_order_relaxed)) {
    return;
  }
  if (buffer == nullptr || number(buffer->id) >= kMostBuffers) {
    return;
  }
  Call call{};
  call.codeptr = codeptr;
  call.stack = place_of_return(frame, codeptr);
  if (call.stack == 0) [[unlikely]] {
    // LLVM leaves a frame of its own there after `teams` has run on this thread.
    call.stack = find_return(*buffer, codeptr);
  }
  call.entry = spool::Entry::kDeferral;
  SiteSlot* site = call.stack != 0 ? site_of(*buffer, call) : nullptr;
  const spool::PathId path =
      site != nullptr ? call_path_of(*buffer, *site, call).path : spool::PathId::kNone;
  const auto id = spool::give_next(buffer->last_deferral);
  if (write_record(*buffer, spool::Deferral{{}, id, ticks(), path, 0}, spool::Tag::kDeferral)) {
    task.value = static_cast<std::uint64_t>(spool::Entry::kDeferral) << kEntryAt |
                 std::uint64_t{number(buffer->id)} << kBufferAt | number(id);
  }
}

bool record_begin(ThreadBuffer& buffer, OpenRegion& open, std::uint64_t kind,
                  std::uint64_t begin) noexcept {
  const Begin what{{number(open.site->id), number(open.path),
                    static_cast<std::uint64_t>(static_cast<std::int64_t>(open.device)), kind},
                   open.call.map,
                   item_count(open.call.map),
                   open.home};
  // Before the context is looked up, since a new chunk knows none.
  std::byte* at = room_for(buffer, spool::most_begin_bytes(what.count));
  if (at == nullptr) {
    return false;
  }
  Context* context = known_context(buffer, what);
  const bool is_known = context != nullptr;
  if (!is_known) {
    context = new_context(buffer, what);
    if (context == nullptr) {
      return false;
    }
  }
  open.begin = begin != 0 ? begin : ticks();
  spool::EventWriter event(at, spool::Event::kBegin, open.begin - buffer.instant);
  event.second(context->id);
  if (!is_known) {
    tell(event, *context, what);
  }
  buffer.cursor = event.commit();
  buffer.instant = open.begin;
  open.context = context;
  open.to_items = context->to_items;
  open.ops = {};
  return true;
}

void record_end(ThreadBuffer& buffer, std::uint64_t end) noexcept {
  buffer.cursor =
      spool::EventWriter(buffer.cursor, spool::Event::kEnd, end - buffer.instant).commit();
  buffer.instant = end;
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
  ThreadBuffer* buffer = current_buffer();
  if (buffer == nullptr) {
    return;
  }
  static constexpr std::uint8_t kKinds[] = {0, 2, 3, 4, 2, 3, 4, 1, 1};
  static_assert(sizeof(kKinds) == static_cast<std::size_t>(spool::Entry::kKernelNowait) + 1);
  const auto kind = kKinds[static_cast<std::size_t>(call.entry)];
  OpenRegion never_closed;
  never_closed.call = call;
  if (write_begin(*buffer, static_cast<std::uint8_t>(kind | spool::kRegionFromWrapper),
                  static_cast<int>(call.device), never_closed) &&
      never_closed.aggregated) {
    aggregate_region(*buffer, never_closed, never_closed.begin);
  }
}

// Recorded at its begin, as regions are, so that the kernel in which a process dies is recorded.
bool record_launch(ThreadBuffer& buffer, const OpenRegion* region, unsigned requested_teams,
                   std::uint64_t begin) noexcept {
  std::byte* at = room_for(buffer, spool::kMostEventBytes);
  if (at == nullptr) {
    return false;
  }
  const KernelArguments kernel = region != nullptr ? region->call.kernel : KernelArguments{};
  const spool::LaunchFields now = {kernel.host_pointer, kernel.trip_count, requested_teams,
                                   kernel.num_teams, kernel.thread_limit};
  spool::LaunchFields none = {};
  if (region != nullptr) {
    know_in_chunk(buffer, *region->context);
  }
  spool::LaunchFields& last = region != nullptr ? region->context->last.launch : none;
  if (begin == 0) {
    begin = ticks();
  }
  spool::EventWriter event(at, spool::Event::kLaunch, begin - buffer.instant);
  event.second(region != nullptr ? 1 : 0);
  if (!spool::are_equal(now, last)) {
    event.fields(now, last);
  }
  buffer.cursor = event.commit();
  buffer.instant = begin;
  return true;
}

void record_launch_end(ThreadBuffer& buffer, std::uint64_t end) noexcept {
  buffer.cursor =
      spool::EventWriter(buffer.cursor, spool::Event::kLaunchEnd, end - buffer.instant).commit();
  buffer.instant = end;
}

void on_submit(ompt_scope_endpoint_t endpoint, ompt_data_t* target, ompt_id_t* /*host_op_id*/,
               unsigned requested_teams) {
  const std::uint64_t now = endpoint == ompt_scope_begin ? 0 : ticks();
  if (!recording()) {
    return;
  }
  const Inside inside;
  ThreadBuffer* buffer = inside ? current_buffer() : nullptr;
  if (buffer == nullptr) {
    return;
  }
  const OpenRegion* region = region_of(*buffer, target);
  if (endpoint != ompt_scope_end) {
    begin_launch(*buffer, region, requested_teams);
    if (checks_blocks()) [[unlikely]] {
      watch_launch(region != nullptr ? region->site : nullptr);
    }
  }
  if (endpoint != ompt_scope_begin) {
    end_external();
    end_launch(*buffer, region, requested_teams, now);
    if (checks_blocks()) [[unlikely]] {
      end_watch(*buffer, !buffer->aggregates_launch && !buffer->lost_launch);
    }
  }
}

}  // namespace ompdm::record
