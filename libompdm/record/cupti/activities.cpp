#include "record/cupti/activities.h"

#include <string.h>

#include "record/cupti/activity_lane.h"
#include "record/cupti/cupti.h"

namespace ompdm::record {
namespace {

using cupti::Kind;

// CUPTI gives 0 for times that it does not know (yet).
bool is_complete(std::uint64_t start, std::uint64_t end) noexcept {
  if (start != 0 && end != 0) {
    return true;
  }
  count_loss(spool::Loss::kActivitiesIncomplete);
  return false;
}

void write_kernel(Lane& lane, const cupti::KernelRecord& kernel) noexcept {
  if (!is_complete(kernel.start, kernel.end)) {
    return;
  }
  const spool::ActivityNameId name = activity_name(lane, kernel.name);
  auto* record = reserve<spool::KernelActivity>(lane);
  if (record == nullptr) {
    return;
  }
  record->correlation = kernel.correlation;
  record->begin = kernel.start;
  record->end = kernel.end;
  record->name = name;
  record->stream = kernel.stream;
  record->device = static_cast<std::uint16_t>(kernel.device);
  record->context = static_cast<std::uint16_t>(kernel.context);
  record->registers = kernel.registers;
  for (int i = 0; i < 3; ++i) {
    record->block[i] = static_cast<std::uint16_t>(kernel.block[i]);
  }
  record->grid_x = static_cast<std::uint32_t>(kernel.grid[0]);
  record->grid_y = static_cast<std::uint16_t>(kernel.grid[1]);
  record->grid_z = static_cast<std::uint16_t>(kernel.grid[2]);
  record->static_shared = static_cast<std::uint32_t>(kernel.static_shared);
  record->dynamic_shared = static_cast<std::uint32_t>(kernel.dynamic_shared);
  commit(lane, record, spool::Tag::kKernelActivity, 0);
}

// The fields that copies and memsets share.
template <class Record>
spool::MemoryActivity* begin_memory(Lane& lane, const Record& activity,
                                    std::uint32_t correlation) noexcept {
  auto* record =
      is_complete(activity.start, activity.end) ? reserve<spool::MemoryActivity>(lane) : nullptr;
  if (record != nullptr) {
    record->correlation = correlation;
    record->begin = activity.start;
    record->end = activity.end;
    record->bytes = activity.bytes;
    record->stream = activity.stream;
    record->device = static_cast<std::uint16_t>(activity.device);
    record->context = static_cast<std::uint16_t>(activity.context);
  }
  return record;
}

void commit_memory(Lane& lane, spool::MemoryActivity* record, spool::MemoryWork work) noexcept {
  commit(lane, record, spool::Tag::kMemoryActivity, static_cast<std::uint8_t>(work));
}

// The fields that copies within a device and between two share.
spool::MemoryActivity* begin_copy(Lane& lane, const cupti::CopyHead& copy,
                                  std::uint32_t correlation) noexcept {
  auto* record = begin_memory(lane, copy, correlation);
  if (record != nullptr) {
    record->copy_kind = copy.copy_kind;
    record->source_kind = copy.source_kind;
    record->destination_kind = copy.destination_kind;
  }
  return record;
}

void write_copy(Lane& lane, const cupti::MemcpyRecord& copy) noexcept {
  if (spool::MemoryActivity* record = begin_copy(lane, copy.copy, copy.correlation)) {
    commit_memory(lane, record, spool::MemoryWork::kCopy);
  }
}

void write_peer_copy(Lane& lane, const cupti::PeerRecord& copy) noexcept {
  if (spool::MemoryActivity* record = begin_copy(lane, copy.copy, copy.correlation)) {
    record->source_device = static_cast<std::uint16_t>(copy.source_device);
    record->destination_device = static_cast<std::uint16_t>(copy.destination_device);
    commit_memory(lane, record, spool::MemoryWork::kPeerCopy);
  }
}

void write_memset(Lane& lane, const cupti::MemsetRecord& fill) noexcept {
  if (spool::MemoryActivity* record = begin_memory(lane, fill, fill.correlation)) {
    record->destination_kind = static_cast<std::uint8_t>(fill.memory_kind);
    commit_memory(lane, record, spool::MemoryWork::kMemset);
  }
}

void write_synchronization(Lane& lane, const cupti::SynchronizationRecord& wait) noexcept {
  auto* record =
      is_complete(wait.start, wait.end) ? reserve<spool::Synchronization>(lane) : nullptr;
  if (record == nullptr) {
    return;
  }
  record->correlation = wait.correlation;
  record->begin = wait.start;
  record->end = wait.end;
  record->context = wait.context;
  record->stream = wait.stream;
  record->event = wait.event;
  commit(lane, record, spool::Tag::kSynchronization, static_cast<std::uint8_t>(wait.type));
}

void write_external(Lane& lane, const cupti::ExternalRecord& external) noexcept {
  if (external.external_kind != cupti::kCustom0) {
    return;  // another tool's
  }
  if (auto* record = reserve<spool::ExternalId>(lane)) {
    record->correlation = external.correlation;
    record->id = external.id;
    commit(lane, record, spool::Tag::kExternalId, 0);
  }
}

Kind kind_of(const std::uint8_t* activity) noexcept {
  Kind kind{};
  memcpy(&kind, activity, sizeof(kind));
  return kind;
}

// What would have been a row of the trace.
bool is_activity(const std::uint8_t* record) noexcept {
  const Kind kind = kind_of(record);
  return kind != Kind::kDriver && kind != Kind::kExternalCorrelation;
}

void write_activity(Lane& lane, const std::uint8_t* activity) noexcept {
  switch (kind_of(activity)) {
    case Kind::kConcurrentKernel:
      return write_kernel(lane, *reinterpret_cast<const cupti::KernelRecord*>(activity));
    case Kind::kMemcpy:
      return write_copy(lane, *reinterpret_cast<const cupti::MemcpyRecord*>(activity));
    case Kind::kMemcpyPeer:
      return write_peer_copy(lane, *reinterpret_cast<const cupti::PeerRecord*>(activity));
    case Kind::kMemset:
      return write_memset(lane, *reinterpret_cast<const cupti::MemsetRecord*>(activity));
    case Kind::kExternalCorrelation:
      return write_external(lane, *reinterpret_cast<const cupti::ExternalRecord*>(activity));
    case Kind::kSynchronization:
      return write_synchronization(
          lane, *reinterpret_cast<const cupti::SynchronizationRecord*>(activity));
    case Kind::kDriver:  // asked for only because external ids come with it
      break;
  }
}

}  // namespace

void write_activities(void* context, std::uint32_t stream, std::uint8_t* buffer,
                      std::size_t valid) noexcept {
  const ActivityLock lock;
  std::size_t dropped = 0;
  if (cupti_functions.dropped_records(context, stream, &dropped) == cupti::kSuccess) {
    count_loss(spool::Loss::kActivitiesDropped, dropped);
  }
  Lane* lane = valid > 0 ? activity_lane() : nullptr;
  std::uint8_t* record = nullptr;
  std::uint64_t unwritten = 0;
  const bool counting = recorder.counting.load(std::memory_order_relaxed);
  while (valid > 0 && cupti_functions.next_record(buffer, valid, &record) == cupti::kSuccess) {
    if (lane != nullptr && !counting) {
      write_activity(*lane, record);
    } else if (counting) {
      count_loss(spool::Loss::kActivitiesDropped, is_activity(record) ? 1 : 0);
    } else {
      unwritten += is_activity(record) ? 1 : 0;
    }
  }
  if (lane != nullptr) {
    write_cupti_clock(*lane);
    refresh_clock(*lane);
  } else if (spool_is_open()) {
    // While the recorder is armed it is the lane that could not be made.
    count_loss(armed() ? spool::Loss::kActivitiesDropped : spool::Loss::kActivitiesLate, unwritten);
  }
}

}  // namespace ompdm::record
