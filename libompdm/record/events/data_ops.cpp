#include "record/contents/budget.h"
#include "record/cupti/cupti.h"
#include "record/events/api_calls.h"
#include "record/events/inside.h"
#include "record/events/regions.h"
#include "record/process/clock.h"
#include "record/stream/sites.h"

namespace ompdm::record {
namespace {

// What the runtime tells of an operation.
struct Operation {
  const void* src;
  const void* dst;
  std::uint64_t bytes;
  std::int32_t src_device;
  std::int32_t dst_device;
  ompt_target_data_op_t optype;

  // Whether an operation of a region repeats a recorded one, times and map item aside.
  [[nodiscard]] bool repeats(const spool::DataOp& record) const noexcept {
    return record.src == reinterpret_cast<std::uint64_t>(src) &&
           record.dst == reinterpret_cast<std::uint64_t>(dst) && record.bytes == bytes &&
           record.src_device == src_device && record.dst_device == dst_device &&
           record.optype == static_cast<std::uint16_t>(optype) && record.api_call == 0;
  }
};

bool from_device(ompt_target_data_op_t optype) noexcept {
  return (static_cast<int>(optype) & 0xf) == ompt_target_data_transfer_from_device;
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
  if (known.position == 0 || known.sequence != lane.sequence || !op.repeats(*known.record) ||
      known.record->argument != argument || region.id != lane.next_region ||
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

// Where an operation was asked for: its region's site, or that of the API call.
Origin origin_of(Lane& lane, const ompt_data_t* target, const void* codeptr) noexcept {
  if (OpenRegion* region = region_of(lane, target)) [[likely]] {
    return {region, region->site, 0};
  }
  const ApiCall made = api_call_of(lane, codeptr);
  Call call{};
  call.codeptr = made.codeptr;
  call.entry = made.entry;
  return {nullptr, site_of(lane, call), made.ordinal};
}

// What goes to a device was examined before, or will not be.
bool may_have_content(const Lane& lane, ompt_target_data_op_t optype) noexcept {
  return lane.content.waiting.host != nullptr || from_device(optype);
}

// False if there was no room for a record.
bool write_op(Lane& lane, const Origin& origin, const Operation& op, std::uint64_t begin,
              std::uint64_t end) noexcept {
  const OpenRegion* region = origin.region;
  std::uint16_t argument = 0;
  if (region != nullptr) {
    const void* host = from_device(op.optype) ? op.dst : op.src;
    argument = argument_of(region->call.map, reinterpret_cast<std::uint64_t>(host));
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
  record->owner = region != nullptr ? region->id : origin.site != nullptr ? origin.site->id : 0;
  ++lane.whole_ops;
  if (region != nullptr) {
    known_op_of(lane, op) = {record, lane.whole_ops, lane.sequence};
    note_op(lane, *region, record);
  }
  commit(lane, record, spool::Tag::kDataOp, region != nullptr ? spool::kOpInRegion : 0);
  return true;
}

[[gnu::noinline]] void examine_outgoing(Lane& lane, const ompt_data_t* target, const void* codeptr,
                                        const Operation& op) noexcept {
  const Transfer transfer =
      transfer_of(op.optype, op.src, op.src_device, op.dst, op.dst_device, op.bytes);
  if (transfer.to_device) {
    examine_before(lane, origin_of(lane, target, codeptr), transfer);
  }
}

// The end of an operation that does not go on as expected, or may carry content.
[[gnu::noinline]] void end_op(Lane& lane, const ompt_data_t* target, const void* codeptr,
                              const Operation& op, std::uint64_t begin, std::uint64_t end,
                              bool content) noexcept {
  const Origin origin = origin_of(lane, target, codeptr);
  const spool::DataOp* expected =
      origin.region != nullptr ? expected_op(lane, *origin.region) : nullptr;
  const bool written = (expected != nullptr && op.repeats(*expected) &&
                        append_times(lane, *origin.region, begin, end)) ||
                       write_op(lane, origin, op, begin, end);
  if (!written) {
    return;
  }
  ++lane.op_records;
  if (content) {
    note_transfer(lane, origin,
                  transfer_of(op.optype, op.src, op.src_device, op.dst, op.dst_device, op.bytes));
  }
}

}  // namespace

void on_data_op(ompt_scope_endpoint_t endpoint, ompt_data_t* /*target_task*/, ompt_data_t* target,
                ompt_id_t* /*host_op_id*/, ompt_target_data_op_t optype, void* src, int src_device,
                void* dst, int dst_device, std::size_t bytes, const void* codeptr) {
  const std::uint64_t now = endpoint == ompt_scope_begin ? 0 : ticks();
  if (!recording()) [[unlikely]] {
    return;
  }
  const Inside inside;
  Lane* lane = inside ? current_lane() : nullptr;
  if (lane == nullptr) [[unlikely]] {
    return;
  }
  std::uint64_t begin = lane->op_begin;
  if (endpoint == ompt_scope_begin) {
    if (begin != 0) [[unlikely]] {
      count_loss(spool::Loss::kOpsUnmatched);
    }
    if (recorder.contents) {
      examine_outgoing(*lane, target, codeptr, {src, dst, bytes, src_device, dst_device, optype});
    }
    lane->op_begin = ticks();
    begin_external(lane->id, lane->op_begin);
    return;
  }
  end_external();
  lane->op_begin = 0;
  if (begin == 0) [[unlikely]] {
    begin = now;
    if (endpoint == ompt_scope_end) {
      count_loss(spool::Loss::kOpsUnmatched);
    }
  }
  OpenRegion* region = region_of(*lane, target);
  const bool content = recorder.contents && may_have_content(*lane, optype);
  if (region != nullptr && !content) [[likely]] {
    const spool::DataOp* expected = expected_op(*lane, *region);
    if (expected != nullptr &&
        Operation{src, dst, bytes, src_device, dst_device, optype}.repeats(*expected) &&
        append_times(*lane, *region, begin, now)) [[likely]] {
      ++lane->op_records;
      return;
    }
  }
  end_op(*lane, target, codeptr, {src, dst, bytes, src_device, dst_device, optype}, begin, now,
         content);
}

}  // namespace ompdm::record
