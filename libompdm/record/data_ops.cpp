#include "record/api_calls.h"
#include "record/budget.h"
#include "record/clock.h"
#include "record/cupti.h"
#include "record/inside.h"
#include "record/regions.h"
#include "record/sites.h"

namespace ompdm::record {
namespace {

std::uint64_t host_address(ompt_target_data_op_t optype, const void* src,
                           const void* dst) noexcept {
  const bool to_host = (static_cast<int>(optype) & 0xf) == ompt_target_data_transfer_from_device;
  return reinterpret_cast<std::uint64_t>(to_host ? dst : src);
}

// Remembers an operation of a whole region, by which later ones of its site are compared.
void note_op(const Lane& lane, const OpenRegion& region, std::uint32_t position) noexcept {
  SiteSlot* site = region.site;
  if (region.whole != nullptr && site != nullptr && site->whole_region == region.id &&
      site->whole_sequence == lane.sequence && site->whole_op_count < spool::kMostRepeatedTimes) {
    site->whole_ops[site->whole_op_count++] = position;
  }
}

// Lets the region's short record grow by the operation's times, if it is the lane's last record and
// the earlier region had the same operation in this place.
bool append_times(Lane& lane, OpenRegion& region, std::uint32_t position,
                  spool::RepeatedTimes times) noexcept {
  const std::uint32_t index = region.repeated_times;
  const std::size_t size = sizeof(spool::RepeatedRegion) + index * sizeof(times);
  if (region.repeated == nullptr || region.site->whole_region != region.repeated->reference ||
      region.site->whole_sequence != lane.sequence || index >= region.site->whole_op_count ||
      region.site->whole_ops[index] != position ||
      lane.cursor != reinterpret_cast<std::byte*>(region.repeated) + size) {
    return false;
  }
  *reinterpret_cast<spool::RepeatedTimes*>(lane.cursor) = times;
  lane.cursor += sizeof(times);
  region.repeated_times = index + 1;
  store_head(region.repeated->head, spool::Tag::kRepeatedRegion, region.site->whole_flags,
             size + sizeof(times));
  return true;
}

// Writes the operation short if the chunk holds an equal one; else false, and it is known from now.
bool write_repeated_op(Lane& lane, KnownOp op, OpenRegion& region, std::uint64_t begin,
                       std::uint64_t end) noexcept {
  const auto hash = (reinterpret_cast<std::uint64_t>(op.src) >> 3U) ^
                    (reinterpret_cast<std::uint64_t>(op.dst) >> 5U) ^ op.optype;
  KnownOp& known = lane.known_ops[hash % Lane::kKnownOps];
  const std::uint64_t since = begin - region.begin;
  const std::uint64_t duration = end - begin;
  if (known.position != 0 && known.sequence == lane.sequence && known.same_as(op) &&
      region.id == lane.next_region && since <= UINT32_MAX && duration <= UINT32_MAX &&
      has_room<spool::RepeatedOp>(lane)) {
    const spool::RepeatedTimes times{static_cast<std::uint32_t>(since),
                                     static_cast<std::uint32_t>(duration)};
    ++lane.op_records;
    if (append_times(lane, region, known.position, times)) {
      return true;
    }
    auto* record = reserve<spool::RepeatedOp>(lane);
    record->reference = known.position;
    record->begin = times.begin;
    record->duration = times.duration;
    commit(lane, record, spool::Tag::kRepeatedOp, 0);
    note_op(lane, region, known.position);
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

// Where an operation was asked for: its region's site, or that of the API call.
Origin origin_of(Lane& lane, const ompt_data_t* target, const void* codeptr) noexcept {
  if (OpenRegion* region = region_of(lane, target)) [[likely]] {
    return {region, region->site, 0};
  }
  const ApiCall call = api_call_of(lane, codeptr);
  return {nullptr, site_of(lane, call.codeptr, nullptr, call.entry, nullptr, 0, 0), call.ordinal};
}

// What goes to a device was examined before, or will not be.
bool may_have_content(const Lane& lane, ompt_target_data_op_t optype) noexcept {
  return lane.content.waiting.host != nullptr ||
         (static_cast<int>(optype) & 0xf) == ompt_target_data_transfer_from_device;
}

void write_op(Lane& lane, std::uint64_t end, const Origin& origin, ompt_target_data_op_t optype,
              void* src, int src_device, void* dst, int dst_device, std::size_t bytes) noexcept {
  OpenRegion* region = origin.region;
  const SiteSlot* site = origin.site;
  const std::uint64_t begin = lane.op_begin != 0 ? lane.op_begin : end;
  std::uint16_t argument = 0;
  if (region != nullptr) {
    argument = argument_of(region->call.map, host_address(optype, src, dst));
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
  record->api_call = origin.api_call;
  record->owner = region != nullptr ? region->id : site != nullptr ? site->id : 0;
  ++lane.whole_ops;
  if (region != nullptr) {
    note_op(lane, *region, lane.whole_ops);
  }
  commit(lane, record, spool::Tag::kDataOp, region != nullptr ? spool::kOpInRegion : 0);
  ++lane.op_records;
}

}  // namespace

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
    if (!budget.off()) {
      const Transfer transfer = transfer_of(optype, src, src_device, dst, dst_device, bytes);
      if (transfer.to_device) {
        examine_before(*lane, origin_of(*lane, target, codeptr), transfer);
      }
    }
    lane->op_begin = ticks();
    begin_external(lane->id, lane->op_begin);
    return;
  }
  end_external();
  if (endpoint == ompt_scope_end && lane->op_begin == 0) {
    count_loss(spool::Loss::kOpsUnmatched);
  }
  const Origin origin = origin_of(*lane, target, codeptr);
  const std::uint64_t records = lane->op_records;
  write_op(*lane, now, origin, optype, src, src_device, dst, dst_device, bytes);
  lane->op_begin = 0;
  if (!budget.off() && lane->op_records != records && may_have_content(*lane, optype)) {
    note_transfer(*lane, origin, transfer_of(optype, src, src_device, dst, dst_device, bytes));
  }
}

}  // namespace ompdm::record
