#include "record/cupti/cupti.h"
#include "record/events/api_calls.h"
#include "record/events/content.h"
#include "record/events/map_items.h"
#include "record/events/regions.h"
#include "record/process/clock.h"
#include "record/runtime/devices.h"
#include "record/stream/inside.h"
#include "record/stream/paths.h"
#include "record/stream/sites.h"

namespace ompdm::record {
namespace {

// Whether an operation of a region repeats a recorded one, times and map item aside.
inline bool repeats(const Operation& op, const spool::DataOp& record) noexcept {
  return record.src == reinterpret_cast<std::uint64_t>(op.src) &&
         record.dst == reinterpret_cast<std::uint64_t>(op.dst) && record.bytes == op.bytes &&
         record.src_device == op.src_device && record.dst_device == op.dst_device &&
         record.optype == static_cast<std::uint16_t>(op.optype) &&
         record.api_call == spool::CallId::kNone;
}

bool from_device(ompt_target_data_op_t optype, std::int32_t dst_device) noexcept {
  const ompt_target_data_op_t kind = synchronous_form(optype);
  if (kind == ompt_target_data_transfer || kind == ompt_target_data_transfer_rect) {
    return device_is_host(dst_device);
  }
  return kind == ompt_target_data_transfer_from_device;
}

// Of the storage that a map item may name, 0 if the runtime does not tell it: a delete has the
// device's alone.
std::uint64_t host_address(const Operation& op) noexcept {
  const void* host = from_device(op.optype, op.dst_device) ? op.dst : op.src;
  return synchronous_form(op.optype) == ompt_target_data_delete
             ? 0
             : reinterpret_cast<std::uint64_t>(host);
}

// The operation that comes next if the region goes on as the earlier one of its site did, and its
// short record is the lane's last one and can grow; else null.
[[gnu::always_inline]] inline const spool::DataOp* expected_op(const Lane& lane,
                                                               const OpenRegion& region) noexcept {
  if (region.repeated == nullptr || lane.cursor != region.next_time ||
      !has_room<spool::RepeatedTimes>(lane)) {
    return nullptr;
  }
  const SiteSlot& site = *region.site;
  return region.repeated_times < site.whole_op_count &&
                 site.whole_region == region.repeated->reference
             ? site.whole_ops[region.repeated_times]
             : nullptr;
}

// Lets the region's short record grow by the times of the expected operation. The map lists of the
// two regions are the same, so the operations' map items are too.
inline bool append_times(Lane& lane, OpenRegion& region, std::uint64_t begin,
                         std::uint64_t end) noexcept {
  const std::uint64_t since = begin - region.begin;
  const std::uint64_t duration = end - begin;
  if (((since | duration) >> 32U) != 0) [[unlikely]] {
    return false;
  }
  auto* times = reinterpret_cast<spool::RepeatedTimes*>(lane.cursor);
  times->duration = static_cast<std::uint32_t>(duration);
  lane.cursor += sizeof(*times);
  region.next_time = lane.cursor;
  ++region.repeated_times;
  store_head(region.repeated->head, spool::Tag::kRepeatedRegion, region.site->whole_flags,
             sizeof(spool::RepeatedRegion) + region.repeated_times * sizeof(*times));
  // Last, since it lies where the next record's head would: in a process that is killed before the
  // record has grown it would be taken for one.
  __atomic_store_n(&times->begin, static_cast<std::uint32_t>(since), __ATOMIC_RELEASE);
  return true;
}

// Remembers an operation of a whole region, by which later ones of its site are compared.
void note_op(const Lane& lane, const OpenRegion& region, const spool::DataOp* record) noexcept {
  SiteSlot* site = region.site;
  if (region.whole != nullptr && site != nullptr && site->whole_region == region.id &&
      site->whole_sequence == lane.sequence && site->whole_op_count < spool::kMostRepeatedTimes) {
    site->whole_ops[site->whole_op_count++] = record;
  }
}

KnownOp& known_op_of(Lane& lane, const Operation& op) noexcept {
  const auto hash = (reinterpret_cast<std::uint64_t>(op.src) >> 3U) ^
                    (reinterpret_cast<std::uint64_t>(op.dst) >> 5U) ^
                    static_cast<unsigned>(op.optype);
  return lane.known_ops[hash % Lane::kKnownOps];
}

// Writes the operation short if the chunk holds an equal one; else false.
bool write_repeated_op(Lane& lane, const KnownOp& known, const OpenRegion& region,
                       const Operation& op, std::uint16_t argument, std::uint64_t begin,
                       std::uint64_t end) noexcept {
  const std::uint64_t since = begin - region.begin;
  const std::uint64_t duration = end - begin;
  if (known.position == 0 || known.sequence != lane.sequence || !repeats(op, *known.record) ||
      known.record->argument != argument || region.id != lane.last_region ||
      ((since | duration) >> 32U) != 0 || !has_room<spool::RepeatedOp>(lane)) {
    return false;
  }
  auto* record = reserve<spool::RepeatedOp>(lane);
  record->reference = known.position;
  record->begin = static_cast<std::uint32_t>(since);
  record->duration = static_cast<std::uint32_t>(duration);
  commit(lane, record, spool::Tag::kRepeatedOp, 0);
  note_op(lane, region, known.record);
  return true;
}

// Says by which path the lane's API calls are reached from here on.
void note_api_path(Lane& lane, spool::PathId path) noexcept {
  if (path == lane.api_path) {
    return;
  }
  if (auto* record = reserve<spool::ApiPath>(lane)) {
    record->path = path;
    commit(lane, record, spool::Tag::kApiPath, 0);
    lane.api_path = path;
  }
}

// Where an operation was asked for: its region's site, or that of the API call.
Origin origin_of(Lane& lane, const ompt_data_t* target, const void* codeptr) noexcept {
  if (OpenRegion* region = region_of(lane, target)) [[likely]] {
    return {region, region->site, spool::CallId::kNone};
  }
  const ApiCall made = api_call_of(lane, codeptr);
  Call call{};
  call.codeptr = made.codeptr;
  call.stack = made.stack;
  call.entry = made.entry;
  SiteSlot* site = site_of(lane, call);
  if (site != nullptr && made.stack != 0) {
    note_api_path(lane, path_of(lane, *site, call));
  }
  return {nullptr, site, made.id};
}

// False if there was no room for a record.
bool write_op(Lane& lane, const Origin& origin, const Operation& op, std::uint64_t begin,
              std::uint64_t end) noexcept {
  const OpenRegion* region = origin.region;
  std::uint16_t argument = 0;
  if (region != nullptr) {
    argument = argument_of(region->call.map, host_address(op), lane.last_argument);
    if (write_repeated_op(lane, known_op_of(lane, op), *region, op, argument, begin, end)) {
      return true;
    }
  }
  auto* record = reserve<spool::DataOp>(lane);
  if (record == nullptr) {
    return false;
  }
  record->begin = begin;
  record->end = end;
  record->src = reinterpret_cast<std::uint64_t>(op.src);
  record->dst = reinterpret_cast<std::uint64_t>(op.dst);
  record->bytes = op.bytes;
  record->src_device = op.src_device;
  record->dst_device = op.dst_device;
  record->optype = static_cast<std::uint16_t>(op.optype);
  record->argument = argument;
  record->api_call = origin.api_call;
  ++lane.whole_ops;
  if (region == nullptr) {
    record->site = origin.site != nullptr ? origin.site->id : spool::SiteId::kNone;
  } else {
    record->region = region->id;
    known_op_of(lane, op) = {record, lane.whole_ops, lane.sequence};
    note_op(lane, *region, record);
  }
  commit(lane, record, spool::Tag::kDataOp, region != nullptr ? spool::kOpInRegion : 0);
  return true;
}

[[gnu::noinline]] void look_before(Lane& lane, const ompt_data_t* target, const void* codeptr,
                                   const Operation& op) noexcept {
  look_before(lane, origin_of(lane, target, codeptr), op);
}

void begin_op(Lane& lane, const ompt_data_t* target, const void* codeptr,
              const Operation& op) noexcept {
  if (lane.op_begin != 0) [[unlikely]] {
    count_loss(spool::Loss::kOpsUnmatched);
  }
  if (recorder.contents) {
    look_before(lane, target, codeptr, op);
  }
  lane.op_begin = ticks();
  begin_external(lane.id, lane.op_begin);
}

// The end of an operation that does not go on as expected, or has a content.
[[gnu::noinline]] void end_other(Lane& lane, const ompt_data_t* target, const void* codeptr,
                                 const Operation& op, std::uint64_t begin,
                                 std::uint64_t end) noexcept {
  const Origin origin = origin_of(lane, target, codeptr);
  const spool::DataOp* expected =
      origin.region != nullptr ? expected_op(lane, *origin.region) : nullptr;
  if ((expected != nullptr && repeats(op, *expected) &&
       append_times(lane, *origin.region, begin, end)) ||
      write_op(lane, origin, op, begin, end)) {
    ++lane.op_records;
    look_after(lane, origin, op);
  }
}

void end_op(Lane& lane, const ompt_data_t* target, const void* codeptr, const Operation& op,
            std::uint64_t end) noexcept {
  std::uint64_t begin = lane.op_begin;
  lane.op_begin = 0;
  if (begin == 0) [[unlikely]] {
    begin = end;
    count_loss(spool::Loss::kOpsUnmatched);
  }
  OpenRegion* region = region_of(lane, target);
  if (region != nullptr && lane.content.transfer.host == nullptr) [[likely]] {
    const spool::DataOp* expected = expected_op(lane, *region);
    if (expected != nullptr && repeats(op, *expected) && append_times(lane, *region, begin, end))
        [[likely]] {
      ++lane.op_records;
      return;
    }
  }
  end_other(lane, target, codeptr, op, begin, end);
}

}  // namespace

void on_data_op(ompt_scope_endpoint_t endpoint, ompt_data_t* /*target_task*/, ompt_data_t* target,
                ompt_id_t* /*host_op_id*/, ompt_target_data_op_t optype, void* src, int src_device,
                void* dst, int dst_device, std::size_t bytes, const void* codeptr) {
  const std::uint64_t now = endpoint == ompt_scope_end ? ticks() : 0;
  if (!recording()) [[unlikely]] {
    return;
  }
  const Inside inside;
  Lane* lane = inside ? current_lane() : nullptr;
  if (lane == nullptr) [[unlikely]] {
    return;
  }
  const Operation op{src, dst, bytes, src_device, dst_device, optype};
  if (endpoint != ompt_scope_end) {
    begin_op(*lane, target, codeptr, op);
  }
  if (endpoint != ompt_scope_begin) {
    end_external();
    end_op(*lane, target, codeptr, op, now != 0 ? now : lane->op_begin);
  }
}

}  // namespace ompdm::record
