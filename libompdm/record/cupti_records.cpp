#include <string.h>
#include <time.h>

#include "record/clock.h"
#include "record/cupti.h"
#include "record/cupti_activities.h"
#include "record/cupti_api.h"
#include "record/recorder.h"
#include "spool_format/aggregates.h"

namespace ompdm::record {

pthread_mutex_t activity_mutex = PTHREAD_MUTEX_INITIALIZER;

namespace {

constexpr unsigned kMostDevices = 64;
constexpr unsigned kMostNames = 1024;  // a power of two

struct NamedDevice {
  spool::CudaDevice record;
  char name[128];
};
NamedDevice devices[kMostDevices];
unsigned device_count = 0;
unsigned devices_written = 0;

spool::CuptiClock first_clock{};
bool first_clock_written = false;

ThreadBuffer* shared = nullptr;

struct KnownName {
  std::uint64_t hash;
  spool::ActivityNameId id;
};
KnownName names[kMostNames];
spool::ActivityNameId last_name = spool::ActivityNameId::kNone;

void write_clock(ThreadBuffer& to, const spool::CuptiClock& clock) noexcept {
  if (auto* record = reserve<spool::CuptiClock>(to)) {
    *record = clock;
    record->head = {};
    commit(to, record, spool::Tag::kCuptiClock, 0);
  }
}

spool::CuptiClock clock_now() noexcept {
  spool::CuptiClock clock{};
  const std::uint64_t before = nanoseconds_of(CLOCK_MONOTONIC);
  cupti_functions.get_timestamp(&clock.cupti_ns);
  const std::uint64_t after = nanoseconds_of(CLOCK_MONOTONIC);
  clock.monotonic_ns = before + (after - before) / 2;
  clock.uncertainty = static_cast<std::uint32_t>(after - before);
  return clock;
}

void write_devices() noexcept {
  for (; devices_written < device_count; ++devices_written) {
    const NamedDevice& device = devices[devices_written];
    const std::size_t size = strlen(device.name) + 1;
    auto* record = reserve<spool::CudaDevice>(*shared, size);
    if (record == nullptr) {
      return;
    }
    *record = device.record;
    record->head = {};
    record->size = static_cast<std::uint32_t>(size);
    memcpy(record + 1, device.name, size);
    commit(*shared, record, spool::Tag::kCudaDevice, 0, size);
  }
}

// The id of a name, which is written when it is new; kNone for null.
spool::ActivityNameId activity_name(ThreadBuffer& to, const char* text) noexcept {
  if (text == nullptr) {
    return spool::ActivityNameId::kNone;
  }
  const std::size_t length = strlen(text);
  const std::uint64_t hash = fnv1a(text, length);
  std::size_t at = hash % kMostNames;
  for (unsigned tries = 0; tries < kMostNames && names[at].id != spool::ActivityNameId::kNone;
       ++tries) {
    if (names[at].hash == hash) {
      return names[at].id;
    }
    at = (at + 1) % kMostNames;
  }
  const std::size_t most = kMostRecordBytes - sizeof(spool::ActivityName);
  const std::size_t size = (length < most ? length : most - 1) + 1;
  auto* record = reserve<spool::ActivityName>(to, size);
  if (record == nullptr) {
    return spool::ActivityNameId::kNone;
  }
  record->id = spool::give_next(last_name);
  record->size = static_cast<std::uint32_t>(size);
  memcpy(record + 1, text, size - 1);
  commit(to, record, spool::Tag::kActivityName, 0, size);
  if (names[at].id == spool::ActivityNameId::kNone) {
    names[at] = {hash, last_name};
  }
  return last_name;
}

}  // namespace

ThreadBuffer* shared_buffer() noexcept {
  const Phase phase = wiped_on_fork.phase.load(std::memory_order_relaxed);
  if (phase != Phase::kArmed && phase != Phase::kPaused) {
    return nullptr;
  }
  if (shared == nullptr) {
    // Copies of the runtime before the first directive are not worth a trace.
    if (!spool_is_open() && recorder.draft.attached_by != spool::kAttachedByCuda) {
      return nullptr;
    }
    shared = new_shared_buffer();
    if (shared == nullptr) {
      return nullptr;
    }
  }
  if (!first_clock_written) {
    first_clock_written = true;
    write_clock(*shared, first_clock);
  }
  write_devices();
  return shared;
}

ThreadBuffer* existing_shared_buffer() noexcept { return shared; }

void write_cupti_clock(ThreadBuffer& to) noexcept { write_clock(to, clock_now()); }

void note_cuda_device(const spool::CudaDevice& device, const char* name) noexcept {
  const ActivityLock lock;
  if (device_count < kMostDevices) {
    NamedDevice& kept_device = devices[device_count++];
    kept_device.record = device;
    strncpy(kept_device.name, name, sizeof(kept_device.name) - 1);
  }
}

void note_cupti_clock() noexcept {
  const ActivityLock lock;
  if (first_clock.cupti_ns == 0) {
    first_clock = clock_now();
  }
}

void forget_shared_buffer() noexcept {
  pthread_mutex_init(&activity_mutex, nullptr);
  shared = nullptr;
  devices_written = 0;
  first_clock_written = false;
  last_name = spool::ActivityNameId::kNone;
  memset(names, 0, sizeof(names));
}

namespace {

using cupti::Kind;

Activity of_kernel(ThreadBuffer& buffer, const cupti::KernelRecord& kernel) noexcept {
  Activity activity = no_activity();
  if (!has_times(kernel.start, kernel.end)) {
    return activity;
  }
  activity.tag = spool::Tag::kKernelActivity;
  spool::KernelActivity& made = activity.kernel;
  made.correlation = kernel.correlation;
  made.begin = kernel.start;
  made.end = kernel.end;
  made.name = activity_name(buffer, kernel.name);
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

// The fields that copies and memsets have in common.
template <class Record>
Activity of_memory(spool::MemoryWork work, const Record& record,
                   std::uint32_t correlation) noexcept {
  Activity activity = no_activity();
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
bool tell(ThreadBuffer& buffer, const Record& made, spool::Tag tag, std::uint8_t flags) noexcept {
  auto* record = reserve<Record>(buffer);
  if (record == nullptr) {
    return false;
  }
  // The head is written last, by commit().
  constexpr std::size_t kHead = sizeof(record->head);
  memcpy(reinterpret_cast<std::byte*>(record) + kHead,
         reinterpret_cast<const std::byte*>(&made) + kHead, sizeof(Record) - kHead);
  commit(buffer, record, tag, flags);
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

Activity read_activity(ThreadBuffer& buffer, const std::uint8_t* record) noexcept {
  Kind kind{};
  memcpy(&kind, record, sizeof(kind));
  switch (kind) {
    case Kind::kConcurrentKernel:
      return of_kernel(buffer, *reinterpret_cast<const cupti::KernelRecord*>(record));
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
  return no_activity();
}

bool record_activity(ThreadBuffer& buffer, const Activity& activity) noexcept {
  return activity.tag == spool::Tag::kKernelActivity
             ? tell(buffer, activity.kernel, activity.tag, 0)
             : tell(buffer, activity.memory, activity.tag,
                    static_cast<std::uint8_t>(activity.work));
}

namespace {

// What is alike: grids and blocks are the sample's.
AggregateKey key_of(const Activity& activity, std::uint64_t id) noexcept {
  if (activity.tag == spool::Tag::kKernelActivity) {
    const spool::KernelActivity& kernel = activity.kernel;
    return {id, std::uint64_t{number(kernel.name)} << 8U, kernel.device};
  }
  const spool::MemoryActivity& memory = activity.memory;
  return {id,
          1U | static_cast<std::uint64_t>(activity.work) << 8U |
              std::uint64_t{memory.copy_kind} << 16U | std::uint64_t{memory.source_kind} << 24U |
              std::uint64_t{memory.destination_kind} << 32U,
          memory.device | std::uint64_t{memory.source_device} << 16U |
              std::uint64_t{memory.destination_device} << 32U};
}

bool make_activity_aggregate(ThreadBuffer& buffer, AggregateSlot& slot, const Activity& activity,
                             std::uint64_t id) noexcept {
  spool::Aggregate* room = aggregate_room(buffer.aggregates, sizeof(spool::ActivityAggregate));
  if (room == nullptr) {
    return false;
  }
  auto* made = reinterpret_cast<spool::ActivityAggregate*>(room);
  made->aggregate.lane = buffer.id;
  made->owner_lane =
      spool::LaneId{static_cast<std::uint32_t>((id & ~spool::kCountedExternal) >> 32U)};
  made->owner = static_cast<std::uint32_t>(id);
  auto of = spool::ActivityAggregateOf::kKernel;
  if (activity.tag == spool::Tag::kKernelActivity) {
    made->kernel = activity.kernel;
  } else {
    of = spool::ActivityAggregateOf::kMemory;
    made->memory = activity.memory;
    made->memory.head.flags = static_cast<std::uint8_t>(activity.work);
  }
  store_head(made->aggregate.head, spool::Tag::kActivityAggregate, static_cast<std::uint8_t>(of),
             sizeof(spool::ActivityAggregate));
  slot.aggregate = &made->aggregate;
  slot.sample = 1;  // it lies in its aggregate
  ++buffer.aggregates.count;
  return true;
}

}  // namespace

void aggregate_activity(ThreadBuffer& buffer, const Activity& activity, std::uint64_t id) noexcept {
  AggregateSlot* slot = slot_of(buffer.aggregates, key_of(activity, id));
  if (slot == nullptr ||
      (slot->sample == 0 && !make_activity_aggregate(buffer, *slot, activity, id))) {
    return count_loss(spool::Loss::kActivitiesDropped);
  }
  const bool is_kernel = activity.tag == spool::Tag::kKernelActivity;
  if (!is_kernel) {
    spool::add_bytes(*slot->aggregate, activity.memory.bytes);
  }
  const std::uint64_t begin = is_kernel ? activity.kernel.begin : activity.memory.begin;
  const std::uint64_t end = is_kernel ? activity.kernel.end : activity.memory.end;
  spool::add(slot->aggregate->times, end > begin ? end - begin : 0);
}

}  // namespace ompdm::record
