#include "record/cupti/device_activity.h"

#include <string.h>

#include "record/cupti/activity_lane.h"
#include "record/cupti/cupti_api.h"

namespace ompdm::record {
namespace {

using cupti::Kind;

Activity nothing() noexcept {
  Activity activity;
  memset(&activity, 0, sizeof(activity));
  return activity;
}

Activity of_kernel(Lane& lane, const cupti::KernelRecord& kernel) noexcept {
  Activity activity = nothing();
  if (!has_times(kernel.start, kernel.end)) {
    return activity;
  }
  activity.tag = spool::Tag::kKernelActivity;
  spool::KernelActivity& made = activity.kernel;
  made.correlation = kernel.correlation;
  made.begin = kernel.start;
  made.end = kernel.end;
  made.name = activity_name(lane, kernel.name);
  made.stream = kernel.stream;
  made.device = static_cast<std::uint16_t>(kernel.device);
  made.context = static_cast<std::uint16_t>(kernel.context);
  made.registers = kernel.registers;
  for (int i = 0; i < 3; ++i) {
    made.block[i] = static_cast<std::uint16_t>(kernel.block[i]);
  }
  made.grid_x = static_cast<std::uint32_t>(kernel.grid[0]);
  made.grid_y = static_cast<std::uint16_t>(kernel.grid[1]);
  made.grid_z = static_cast<std::uint16_t>(kernel.grid[2]);
  made.static_shared = static_cast<std::uint32_t>(kernel.static_shared);
  made.dynamic_shared = static_cast<std::uint32_t>(kernel.dynamic_shared);
  return activity;
}

// The fields that copies and memsets share.
template <class Record>
Activity of_memory(spool::MemoryWork work, const Record& record,
                   std::uint32_t correlation) noexcept {
  Activity activity = nothing();
  if (!has_times(record.start, record.end)) {
    return activity;
  }
  activity.tag = spool::Tag::kMemoryActivity;
  activity.work = work;
  spool::MemoryActivity& made = activity.memory;
  made.correlation = correlation;
  made.begin = record.start;
  made.end = record.end;
  made.bytes = record.bytes;
  made.stream = record.stream;
  made.device = static_cast<std::uint16_t>(record.device);
  made.context = static_cast<std::uint16_t>(record.context);
  return activity;
}

// Within a device and between two.
Activity of_copy(spool::MemoryWork work, const cupti::CopyHead& copy,
                 std::uint32_t correlation) noexcept {
  Activity activity = of_memory(work, copy, correlation);
  activity.memory.copy_kind = copy.copy_kind;
  activity.memory.source_kind = copy.source_kind;
  activity.memory.destination_kind = copy.destination_kind;
  return activity;
}

Activity of_peer_copy(const cupti::PeerRecord& copy) noexcept {
  Activity activity = of_copy(spool::MemoryWork::kPeerCopy, copy.copy, copy.correlation);
  activity.memory.source_device = static_cast<std::uint16_t>(copy.source_device);
  activity.memory.destination_device = static_cast<std::uint16_t>(copy.destination_device);
  return activity;
}

Activity of_memset(const cupti::MemsetRecord& fill) noexcept {
  Activity activity = of_memory(spool::MemoryWork::kMemset, fill, fill.correlation);
  activity.memory.destination_kind = static_cast<std::uint8_t>(fill.memory_kind);
  return activity;
}

template <class Record>
bool tell(Lane& lane, const Record& made, spool::Tag tag, std::uint8_t flags) noexcept {
  auto* record = reserve<Record>(lane);
  if (record == nullptr) {
    return false;
  }
  // The head commits what is behind it.
  constexpr std::size_t kHead = sizeof(record->head);
  memcpy(reinterpret_cast<std::byte*>(record) + kHead,
         reinterpret_cast<const std::byte*>(&made) + kHead, sizeof(Record) - kHead);
  commit(lane, record, tag, flags);
  return true;
}

}  // namespace

bool has_times(std::uint64_t start, std::uint64_t end) noexcept {
  if (start != 0 && end != 0) {
    return true;
  }
  count_loss(spool::Loss::kActivitiesIncomplete);
  return false;
}

Activity read_activity(Lane& lane, const std::uint8_t* record) noexcept {
  Kind kind{};
  memcpy(&kind, record, sizeof(kind));
  switch (kind) {
    case Kind::kConcurrentKernel:
      return of_kernel(lane, *reinterpret_cast<const cupti::KernelRecord*>(record));
    case Kind::kMemcpy: {
      const auto& copy = *reinterpret_cast<const cupti::MemcpyRecord*>(record);
      return of_copy(spool::MemoryWork::kCopy, copy.copy, copy.correlation);
    }
    case Kind::kMemcpyPeer:
      return of_peer_copy(*reinterpret_cast<const cupti::PeerRecord*>(record));
    case Kind::kMemset:
      return of_memset(*reinterpret_cast<const cupti::MemsetRecord*>(record));
    case Kind::kExternalCorrelation:
    case Kind::kSynchronization:
    case Kind::kDriver:
      break;
  }
  return nothing();
}

bool tell_activity(Lane& lane, const Activity& activity) noexcept {
  return activity.tag == spool::Tag::kKernelActivity
             ? tell(lane, activity.kernel, activity.tag, 0)
             : tell(lane, activity.memory, activity.tag, static_cast<std::uint8_t>(activity.work));
}

}  // namespace ompdm::record
