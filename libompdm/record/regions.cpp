#include "record/regions.h"

#include "record/clock.h"
#include "record/sites.h"

namespace ompdm::record {
namespace {

constexpr std::uint32_t kClockEvery =
    1024;  // regions between two refreshes of the chunk's clock triple

// Marks this thread as inside the recorder; a signal handler that gets here meanwhile is counted
// and left alone.
class Inside {
 public:
  Inside() noexcept : entered_(!this_thread.inside) {
    if (entered_) [[likely]] {
      this_thread.inside = true;
    } else {
      count_loss(spool::Loss::kRecordsReentrant);
    }
  }
  ~Inside() {
    if (entered_) {
      this_thread.inside = false;
    }
  }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
  explicit operator bool() const noexcept { return entered_; }

 private:
  bool entered_;
};

bool recording() noexcept {
  if (armed()) [[likely]] {
    return true;
  }
  if (recorder.phase.load(std::memory_order_relaxed) == Phase::kFinished) {
    count_loss(spool::Loss::kRecordsAfterFinish);
  }
  // A runtime that goes on telling after its finalize is listened to.
  Phase expected = Phase::kPaused;
  return recorder.phase.compare_exchange_strong(expected, Phase::kArmed);
}

std::uint64_t handle_of(const Lane& lane, std::uint32_t region) noexcept {
  return static_cast<std::uint64_t>(lane.id + 1) << 32U | region;
}

// A region's record as its end has to find it again; `end` is null if there was no room.
struct Written {
  std::uint64_t* end;
  std::uint32_t id;
};

Written write_whole(Lane& lane, SiteSlot* site, std::uint32_t list, std::uint8_t flags,
                    int device) noexcept {
  auto* record = reserve<spool::Region>(lane);
  if (record == nullptr) {
    return {};
  }
  record->site = site != nullptr ? site->id : 0;
  record->id = ++lane.next_region;
  record->map_list = list;
  record->device = device;
  record->begin = ticks();
  commit(lane, record, spool::Tag::kRegion, flags);
  if (site != nullptr) {
    site->whole_region = record->id;
    site->whole_list = list;
    site->whole_device = device;
    site->whole_sequence = lane.sequence;
    site->whole_flags = flags;
  }
  return {&record->end, record->id};
}

Written write_repeated(Lane& lane, const SiteSlot& site, std::uint8_t flags) noexcept {
  auto* record = reserve<spool::RepeatedRegion>(lane);
  if (record == nullptr) {
    return {};
  }
  record->reference = site.whole_region;
  record->begin = ticks();
  ++lane.next_region;
  commit(lane, record, spool::Tag::kRepeatedRegion, flags);
  return {&record->end, lane.next_region};
}

Written write_region(Lane& lane, const void* codeptr, const Call* call, std::uint8_t flags,
                     int device) noexcept {
  SiteSlot* site = call != nullptr
                       ? site_of(lane, codeptr, call->ident, call->entry, call->map.names,
                                 call->map.count, call->kernel.host_pointer)
                       : site_of(lane, codeptr, nullptr, spool::Entry::kNone, nullptr, 0, 0);
  const std::uint32_t list =
      call != nullptr && site != nullptr ? map_list_of(lane, *site, call->map) : 0;
  if (call == nullptr && recorder.config.names) {
    count_loss(spool::Loss::kNamesUnavailable);
  }
  const bool repeated = site != nullptr && site->whole_region != 0 && site->whole_list == list &&
                        site->whole_device == device && site->whole_flags == flags &&
                        site->whole_sequence == lane.sequence &&
                        has_room<spool::RepeatedRegion>(lane);
  const Written written =
      repeated ? write_repeated(lane, *site, flags) : write_whole(lane, site, list, flags, device);
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
  Call& waiting = this_thread.call;
  const Call* call = waiting.codeptr == codeptr ? &waiting : nullptr;
  if (lane->depth == Lane::kMostOpen) {
    count_loss(spool::Loss::kRegionsUnmatched);
    waiting.codeptr = nullptr;
    return;
  }
  const Written written = write_region(
      *lane, codeptr, call, static_cast<std::uint8_t>(kind) & spool::kRegionKindMask, device);
  if (written.end != nullptr) {
    OpenRegion& open = lane->open[lane->depth++];
    open.end = written.end;
    open.id = written.id;
    open.chunk = lane->chunk;
    if (call != nullptr) {
      open.map = call->map;
      open.kernel = call->kernel;
    } else {
      open.map = {};
      open.kernel = {};
    }
    if (target != nullptr) {
      target->value = handle_of(*lane, written.id);
    }
  } else if (target != nullptr) {
    target->value = 0;
  }
  waiting.codeptr = nullptr;
}

void close_top(Lane& lane, std::uint64_t end) noexcept {
  const OpenRegion closed = lane.open[--lane.depth];
  __atomic_store_n(closed.end, end, __ATOMIC_RELEASE);
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
  close_top(*lane, now);
}

// The open region that an operation belongs to, or null: API calls, and what comes after a region's
// end.
const OpenRegion* region_of(const Lane& lane, const ompt_data_t* target) noexcept {
  if (target == nullptr || target->value == 0 || lane.depth == 0) {
    return nullptr;
  }
  const OpenRegion& top = lane.open[lane.depth - 1];
  return handle_of(lane, top.id) == target->value ? &top : nullptr;
}

std::uint64_t host_address(ompt_target_data_op_t optype, const void* src,
                           const void* dst) noexcept {
  const bool to_host = (static_cast<int>(optype) & 0xf) == ompt_target_data_transfer_from_device;
  return reinterpret_cast<std::uint64_t>(to_host ? dst : src);
}

// Writes the operation short if the chunk holds an equal one; else false, and it is known from now.
bool write_repeated_op(Lane& lane, KnownOp op, const OpenRegion& region, std::uint64_t begin,
                       std::uint64_t end) noexcept {
  const auto hash = (reinterpret_cast<std::uint64_t>(op.src) >> 3U) ^
                    (reinterpret_cast<std::uint64_t>(op.dst) >> 5U) ^ op.optype;
  KnownOp& known = lane.known_ops[hash % Lane::kKnownOps];
  const std::uint64_t since = begin - region.begin();
  const std::uint64_t duration = end - begin;
  if (known.position != 0 && known.sequence == lane.sequence && known.same_as(op) &&
      region.id == lane.next_region && since <= UINT32_MAX && duration <= UINT32_MAX &&
      has_room<spool::RepeatedOp>(lane)) {
    auto* record = reserve<spool::RepeatedOp>(lane);
    record->reference = known.position;
    record->begin = static_cast<std::uint32_t>(since);
    record->duration = static_cast<std::uint32_t>(duration);
    commit(lane, record, spool::Tag::kRepeatedOp, 0);
    return true;
  }
  // The whole record that follows may open a new chunk: room is made first.
  if (!has_room<spool::DataOp>(lane) && !grow(lane, sizeof(spool::DataOp))) {
    return true;  // counted as lost
  }
  op.position = lane.whole_ops + 1;
  op.sequence = lane.sequence;
  known = op;
  return false;
}

void write_op(Lane& lane, std::uint64_t end, const ompt_data_t* target,
              ompt_target_data_op_t optype, void* src, int src_device, void* dst, int dst_device,
              std::size_t bytes, const void* codeptr) noexcept {
  const OpenRegion* region = region_of(lane, target);
  const std::uint64_t begin = lane.op_begin != 0 ? lane.op_begin : end;
  SiteSlot* site = nullptr;
  std::uint16_t argument = 0;
  const bool api = region == nullptr && this_thread.api_codeptr == codeptr;
  if (region == nullptr) {
    site = site_of(lane, codeptr, nullptr, api ? this_thread.api_entry : spool::Entry::kNone,
                   nullptr, 0, 0);
  } else {
    argument = argument_of(region->map, host_address(optype, src, dst));
    const KnownOp op{src,        dst,        bytes,
                     src_device, dst_device, static_cast<std::uint16_t>(optype),
                     argument,   0,          0};
    if (write_repeated_op(lane, op, *region, begin, end)) {
      return;
    }
  }
  auto* record = reserve<spool::DataOp>(lane);
  if (record == nullptr) {
    return;
  }
  record->begin = begin;
  record->end = end;
  record->src = reinterpret_cast<std::uint64_t>(src);
  record->dst = reinterpret_cast<std::uint64_t>(dst);
  record->bytes = bytes;
  record->src_device = src_device;
  record->dst_device = dst_device;
  record->optype = static_cast<std::uint16_t>(optype);
  record->argument = argument;
  record->api_call = api ? this_thread.api_call : 0;
  record->owner = region != nullptr ? region->id : site != nullptr ? site->id : 0;
  ++lane.whole_ops;
  commit(lane, record, spool::Tag::kDataOp, region != nullptr ? spool::kOpInRegion : 0);
}

// Committed open, as regions are, so that the kernel a process died in is there.
void begin_launch(Lane& lane, const ompt_data_t* target, unsigned requested_teams) noexcept {
  auto* record = reserve<spool::Launch>(lane);
  if (record == nullptr) {
    return;
  }
  record->requested_teams = requested_teams;
  if (const OpenRegion* region = region_of(lane, target)) {
    record->region = region->id;
    record->kernel = region->kernel.host_pointer;
    record->trip_count = region->kernel.trip_count;
    record->num_teams = region->kernel.num_teams;
    record->thread_limit = region->kernel.thread_limit;
  }
  record->begin = ticks();
  commit(lane, record, spool::Tag::kLaunch, 0);
  if (lane.launch != nullptr) {
    count_loss(spool::Loss::kOpsUnmatched);
  }
  lane.launch = record;
  lane.launch_chunk = lane.chunk;
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
    end_region(now, target);
  }
}

void on_data_op(ompt_scope_endpoint_t endpoint, ompt_data_t* /*target_task*/, ompt_data_t* target,
                ompt_id_t* /*host_op_id*/, ompt_target_data_op_t optype, void* src, int src_device,
                void* dst, int dst_device, std::size_t bytes, const void* codeptr) {
  const std::uint64_t now = endpoint == ompt_scope_begin ? 0 : ticks();
  if (!recording()) {
    return;
  }
  const Inside inside;
  Lane* lane = inside ? current_lane() : nullptr;
  if (lane == nullptr) {
    return;
  }
  if (endpoint == ompt_scope_begin) {
    if (lane->op_begin != 0) {
      count_loss(spool::Loss::kOpsUnmatched);
    }
    lane->op_begin = ticks();
    return;
  }
  if (endpoint == ompt_scope_end && lane->op_begin == 0) {
    count_loss(spool::Loss::kOpsUnmatched);
  }
  write_op(*lane, now, target, optype, src, src_device, dst, dst_device, bytes, codeptr);
  lane->op_begin = 0;
}

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
    end_launch(*lane, now);
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
  write_region(*lane, call.codeptr, &call,
               static_cast<std::uint8_t>(kind | spool::kRegionFromWrapper),
               static_cast<int>(call.device));
}

}  // namespace ompdm::record
