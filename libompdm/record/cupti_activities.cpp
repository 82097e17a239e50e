// Activities of CUDA devices: from CUPTI's buffers to records or aggregates in the spool.
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include <atomic>

#include "record/clock.h"
#include "record/cupti.h"
#include "record/thread_buffer.h"
#include "spool_format/activities.h"
#include "spool_format/aggregates.h"

namespace ompdm::record {

namespace {

using cupti::Kind;

// Serializes writers of the activities' buffer. Not the recorder's mutex: CUPTI calls back from
// inside the driver, while other threads hold that.
pthread_mutex_t activity_mutex = PTHREAD_MUTEX_INITIALIZER;

constexpr unsigned kMostDevices = 64;

struct NamedDevice {
  spool::CudaDevice record;
  char name[128];
};
NamedDevice devices[kMostDevices];
unsigned device_count = 0;
unsigned devices_written = 0;

spool::CuptiClock first_clock{};
bool first_clock_written = false;

// The buffer that activities are written to, made at the first one.
ThreadBuffer* shared = nullptr;

struct KnownName {
  std::uint64_t hash;
  spool::ActivityNameId id;
};
KnownName names[1024];
spool::ActivityNameId last_name = spool::ActivityNameId::kNone;

spool::CuptiClock clock_now() noexcept {
  spool::CuptiClock clock{};
  const std::uint64_t before = nanoseconds_of(CLOCK_MONOTONIC);
  cupti_functions.get_timestamp(&clock.cupti_ns);
  const std::uint64_t after = nanoseconds_of(CLOCK_MONOTONIC);
  clock.monotonic_ns = before + (after - before) / 2;
  clock.uncertainty = static_cast<std::uint32_t>(after - before);
  return clock;
}

// The shared buffer; null if nothing is recorded.
ThreadBuffer* shared_buffer() noexcept {
  const Phase phase = wiped_on_fork.phase.load(std::memory_order_relaxed);
  if (phase != Phase::kArmed && phase != Phase::kPaused) {
    return nullptr;
  }
  // Copies of the runtime before the first directive are not worth a trace.
  if (shared == nullptr &&
      (spool_is_open() || recorder.draft.attached_by == spool::kAttachedByCuda)) {
    shared = new_shared_buffer();
  }
  if (shared == nullptr) {
    return nullptr;
  }
  if (!first_clock_written) {
    first_clock_written = true;
    write_record(*shared, first_clock, spool::Tag::kCuptiClock);
  }
  for (; devices_written < device_count; ++devices_written) {
    const NamedDevice& device = devices[devices_written];
    if (!write_record(*shared, device.record, spool::Tag::kCudaDevice, 0,
                      {piece_of_text(device.name)})) {
      break;
    }
  }
  return shared;
}

// The id of a name, which is written when it is new; kNone for null.
spool::ActivityNameId activity_name(ThreadBuffer& buffer, const char* text) noexcept {
  if (text == nullptr) {
    return spool::ActivityNameId::kNone;
  }
  constexpr std::size_t kPlaces = sizeof(names) / sizeof(names[0]);
  const std::size_t length = strlen(text);
  const std::uint64_t hash = fnv1a(text, length);
  std::size_t at = hash % kPlaces;
  for (unsigned tries = 0; tries < kPlaces && names[at].id != spool::ActivityNameId::kNone;
       ++tries) {
    if (names[at].hash == hash) {
      return names[at].id;
    }
    at = (at + 1) % kPlaces;
  }
  constexpr std::size_t kMost = kMostRecordBytes - sizeof(spool::ActivityName) - 1;
  const std::size_t size = length < kMost ? length : kMost;
  const auto id = spool::give_next(last_name);
  if (!write_record(buffer, spool::ActivityName{{}, id, static_cast<std::uint32_t>(size + 1), 0},
                    spool::Tag::kActivityName, 0, {{text, size}, {"\0", 1}})) {
    return spool::ActivityNameId::kNone;
  }
  if (names[at].id == spool::ActivityNameId::kNone) {
    names[at] = {hash, id};
  }
  return id;
}

// A kernel, copy or memset as a record of the spool, whose head holds the tag and the flags alone.
// Both kinds begin with the same fields.
union Activity {
  spool::KernelActivity kernel;
  spool::MemoryActivity memory;

  [[nodiscard]] bool is_none() const noexcept { return kernel.head.tag == 0; }
  [[nodiscard]] bool is_kernel() const noexcept {
    return kernel.head.tag == static_cast<std::uint8_t>(spool::Tag::kKernelActivity);
  }
};

// Whether CUPTI knows both times; otherwise one is 0, and a loss is counted.
bool has_times(std::uint64_t start, std::uint64_t end) noexcept {
  if (start == 0 || end == 0) {
    count_loss(spool::Loss::kActivitiesIncomplete);
  }
  return start != 0 && end != 0;
}

Activity of_kernel(ThreadBuffer& buffer, const cupti::KernelRecord& kernel) noexcept {
  Activity activity{};
  if (!has_times(kernel.start, kernel.end)) {
    return activity;
  }
  spool::KernelActivity& made = activity.kernel;
  made.head.tag = static_cast<std::uint8_t>(spool::Tag::kKernelActivity);
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
  Activity activity{};
  if (!has_times(record.start, record.end)) {
    return activity;
  }
  spool::MemoryActivity made{};
  made.head.tag = static_cast<std::uint8_t>(spool::Tag::kMemoryActivity);
  made.head.flags = static_cast<std::uint8_t>(work);
  made.correlation = correlation;
  made.begin = record.start;
  made.end = record.end;
  made.bytes = record.bytes;
  made.stream = record.stream;
  made.device = static_cast<std::uint16_t>(record.device);
  made.context = static_cast<std::uint16_t>(record.context);
  activity.memory = made;
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

// Converts a record of CUPTI. None if it is of another kind, or has no times. A kernel's name is
// written to the buffer.
Activity read_activity(ThreadBuffer& buffer, Kind kind, const std::uint8_t* record) noexcept {
  if (kind == Kind::kConcurrentKernel) {
    return of_kernel(buffer, *reinterpret_cast<const cupti::KernelRecord*>(record));
  }
  if (kind == Kind::kMemcpy) {
    const auto& copy = *reinterpret_cast<const cupti::MemcpyRecord*>(record);
    return of_copy(spool::MemoryWork::kCopy, copy.copy, copy.correlation);
  }
  if (kind == Kind::kMemcpyPeer) {
    const auto& copy = *reinterpret_cast<const cupti::PeerRecord*>(record);
    Activity activity = of_copy(spool::MemoryWork::kPeerCopy, copy.copy, copy.correlation);
    activity.memory.source_device = static_cast<std::uint16_t>(copy.source_device);
    activity.memory.destination_device = static_cast<std::uint16_t>(copy.destination_device);
    return activity;
  }
  const auto& fill = *reinterpret_cast<const cupti::MemsetRecord*>(record);
  Activity activity = of_memory(spool::MemoryWork::kMemset, fill, fill.correlation);
  activity.memory.destination_kind = static_cast<std::uint8_t>(fill.memory_kind);
  return activity;
}

// Loses (and counts) the activity if there is no room.
void record_activity(ThreadBuffer& buffer, const Activity& activity) noexcept {
  if (activity.is_kernel()) {
    write_record(buffer, activity.kernel, spool::Tag::kKernelActivity);
  } else {
    write_record(buffer, activity.memory, spool::Tag::kMemoryActivity, activity.memory.head.flags);
  }
}

// What is alike: grids and blocks are the sample's.
AggregateKey key_of(const Activity& activity, std::uint64_t id) noexcept {
  if (activity.is_kernel()) {
    const spool::KernelActivity& kernel = activity.kernel;
    return {id, std::uint64_t{number(kernel.name)} << 8U, kernel.device};
  }
  const spool::MemoryActivity& memory = activity.memory;
  return {id,
          1U | std::uint64_t{memory.head.flags} << 8U | std::uint64_t{memory.copy_kind} << 16U |
              std::uint64_t{memory.source_kind} << 24U |
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
  made->aggregate.buffer = buffer.id;
  made->owner_buffer =
      spool::BufferId{static_cast<std::uint32_t>((id & ~spool::kCountedExternal) >> 32U)};
  made->owner = static_cast<std::uint32_t>(id);
  auto of = spool::ActivityAggregateOf::kKernel;
  if (activity.is_kernel()) {
    made->kernel = activity.kernel;
  } else {
    of = spool::ActivityAggregateOf::kMemory;
    made->memory = activity.memory;
  }
  store_head(made->aggregate.head, spool::Tag::kActivityAggregate, static_cast<std::uint8_t>(of),
             sizeof(spool::ActivityAggregate));
  slot.aggregate = &made->aggregate;
  slot.sample = 1;  // it lies in its aggregate
  ++buffer.aggregates.count;
  return true;
}

// Aggregates an activity of the external id `id` (spool::counted_external_id); 0: unknown.
void aggregate_activity(ThreadBuffer& buffer, const Activity& activity, std::uint64_t id) noexcept {
  AggregateSlot* slot = slot_of(buffer.aggregates, key_of(activity, id));
  if (slot == nullptr ||
      (slot->sample == 0 && !make_activity_aggregate(buffer, *slot, activity, id))) {
    return count_loss(spool::Loss::kActivitiesDropped);
  }
  if (!activity.is_kernel()) {
    spool::add_bytes(*slot->aggregate, activity.memory.bytes);
  }
  const std::uint64_t begin = activity.kernel.begin;
  const std::uint64_t end = activity.kernel.end;
  spool::add(slot->aggregate->times, end > begin ? end - begin : 0);
}

// Who asked the driver for what: external ids by CUPTI's correlation numbers, and activities that
// came before the id of their call. CUPTI reports calls and activities in separate buffers, in any
// order.
//
// A stream holds a thousand or so calls ahead of the device, and a buffer of 64 KiB as many.
constexpr std::uint32_t kOwners = std::uint32_t{1} << 16U;
constexpr std::uint32_t kBuckets = std::uint32_t{1} << 12U;
constexpr std::uint32_t kInBucket = 4;

struct Owner {
  std::uint64_t id;  // 0: free
  std::uint32_t correlation;
};

struct Table {
  // Each at its correlation modulo their number, the latest first in its bucket.
  Owner owners[kOwners];
  Activity waiting[kBuckets][kInBucket];
};

Table* table = nullptr;
std::uint32_t waiting_count = 0;

Table* get_table() noexcept {
  if (table == nullptr) {
    table = static_cast<Table*>(map_memory(sizeof(Table)));  // touched as far as it is used
  }
  return table;
}

// Takes the activity that waits there, if any.
Activity take(Activity& place) noexcept {
  const Activity taken = place;
  if (!taken.is_none()) {
    place = {};
    --waiting_count;
  }
  return taken;
}

// The external id of a driver call; 0: unknown.
std::uint64_t owner_of(std::uint32_t correlation) noexcept {
  if (table == nullptr) {
    return 0;
  }
  const Owner& owner = table->owners[correlation % kOwners];
  return owner.correlation == correlation ? owner.id : 0;
}

// Keeps an activity until its owner is known. Returns the activity that has to leave for it:
// another one, the same without memory, or none.
Activity keep_waiting(const Activity& activity) noexcept {
  Table* all = get_table();
  if (all == nullptr) {
    return activity;
  }
  Activity* bucket = all->waiting[activity.kernel.correlation % kBuckets];
  std::uint32_t last = 0;
  while (last < kInBucket - 1 && !bucket[last].is_none()) {
    ++last;
  }
  const Activity leaves = take(bucket[last]);
  memmove(bucket + 1, bucket, last * sizeof(Activity));
  bucket[0] = activity;
  ++waiting_count;
  return leaves;
}

bool is_aggregating() noexcept { return recorder.aggregating.load(std::memory_order_relaxed); }

// Of a driver call with the external id `id`; 0: unknown.
bool is_aggregated(std::uint64_t id) noexcept {
  return (id & spool::kCountedExternal) != 0 || (id == 0 && is_aggregating());
}

// Activities of operations recorded as events are recorded as events, even after aggregation has
// started.
void record_or_aggregate(ThreadBuffer& buffer, const Activity& activity,
                         std::uint64_t id) noexcept {
  if (is_aggregated(id)) {
    return aggregate_activity(buffer, activity, id);
  }
  record_activity(buffer, activity);
}

void take_activity(ThreadBuffer& buffer, const Activity& activity) noexcept {
  if (activity.is_none()) {
    return;
  }
  // Where all is recorded as events, no activity has to wait for its owner.
  if (!is_aggregating() && recorder.draft.detail == spool::Detail::kAll) {
    return record_activity(buffer, activity);
  }
  const std::uint64_t id = owner_of(activity.kernel.correlation);
  if (id != 0 || !recorder.cupti.load(std::memory_order_relaxed)) {
    return record_or_aggregate(buffer, activity, id);
  }
  const Activity leaves = keep_waiting(activity);
  if (!leaves.is_none()) {
    record_or_aggregate(buffer, leaves, 0);
  }
}

// Notes the external id that was on the thread's stack at a driver call, and writes the activities
// that wait for it.
void take_external(ThreadBuffer& buffer, const cupti::ExternalRecord& external) noexcept {
  if (external.external_kind != cupti::kCustom0) {
    return;  // another tool's
  }
  const std::uint32_t correlation = external.correlation;
  if (Table* all = get_table()) {
    all->owners[correlation % kOwners] = {external.id, correlation};
  }
  if ((external.id & spool::kCountedExternal) == 0) {
    write_record(buffer, spool::ExternalId{{}, correlation, external.id}, spool::Tag::kExternalId);
  }
  if (table == nullptr || waiting_count == 0) {
    return;
  }
  for (Activity& place : table->waiting[correlation % kBuckets]) {
    if (!place.is_none() && place.kernel.correlation == correlation) {
      record_or_aggregate(buffer, take(place), external.id);
    }
  }
}

// Waits of aggregated calls are dropped: a wait means little without what the device did meanwhile.
void take_synchronization(ThreadBuffer& buffer, const cupti::SynchronizationRecord& wait) noexcept {
  if (!is_aggregated(owner_of(wait.correlation)) && has_times(wait.start, wait.end)) {
    write_record(
        buffer,
        spool::Synchronization{
            {}, wait.correlation, wait.start, wait.end, wait.context, wait.stream, wait.event, 0},
        spool::Tag::kSynchronization, static_cast<std::uint8_t>(wait.type));
  }
}

// Small: a killed process loses the contents of the buffer that CUPTI fills.
constexpr std::size_t kBufferBytes = std::size_t{64} * 1024;
constexpr unsigned kMostKept = 32;  // buffers kept for reuse; further ones are unmapped

// A mutex of its own: CUPTI requests buffers from inside the driver.
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
std::uint8_t* kept[kMostKept];
unsigned kept_count = 0;

std::atomic<std::uint64_t> handed_out{0};  // buffers that CUPTI got
std::atomic<std::uint64_t> written{0};     // of those, the ones whose records are in the spool

}  // namespace

void note_cuda_device(const spool::CudaDevice& device, const char* name) noexcept {
  const MutexLock lock(activity_mutex);
  if (device_count < kMostDevices) {
    NamedDevice& added = devices[device_count++];
    added.record = device;
    strncpy(added.name, name, sizeof(added.name) - 1);
    added.record.size = static_cast<std::uint32_t>(strlen(added.name) + 1);
  }
}

void note_cupti_clock() noexcept {
  const MutexLock lock(activity_mutex);
  if (first_clock.cupti_ns == 0) {
    first_clock = clock_now();
  }
}

void write_activities(void* context, std::uint32_t stream, std::uint8_t* records,
                      std::size_t valid) noexcept {
  const MutexLock lock(activity_mutex);
  std::size_t dropped = 0;
  if (cupti_functions.dropped_records(context, stream, &dropped) == cupti::kSuccess) {
    count_loss(spool::Loss::kActivitiesDropped, dropped);
  }
  ThreadBuffer* buffer = valid > 0 ? shared_buffer() : nullptr;
  std::uint8_t* record = nullptr;
  std::uint64_t unwritten = 0;
  while (valid > 0 && cupti_functions.next_record(records, valid, &record) == cupti::kSuccess) {
    Kind kind{};
    memcpy(&kind, record, sizeof(kind));
    switch (kind) {
      case Kind::kConcurrentKernel:
      case Kind::kMemcpy:
      case Kind::kMemcpyPeer:
      case Kind::kMemset:
        if (buffer != nullptr) {
          take_activity(*buffer, read_activity(*buffer, kind, record));
        }
        break;
      case Kind::kSynchronization:
        if (buffer != nullptr) {
          take_synchronization(*buffer,
                               *reinterpret_cast<const cupti::SynchronizationRecord*>(record));
        }
        break;
      case Kind::kExternalCorrelation:
        if (buffer != nullptr) {
          take_external(*buffer, *reinterpret_cast<const cupti::ExternalRecord*>(record));
        }
        continue;
      case Kind::kDriver:  // enabled only because external ids come with it
        continue;
    }
    unwritten += buffer == nullptr ? 1 : 0;  // it would have been a row of the trace
  }
  if (buffer != nullptr) {
    if (!is_aggregating()) {
      write_record(*buffer, clock_now(), spool::Tag::kCuptiClock);
    }
    refresh_clock(*buffer);
  } else if (spool_is_open()) {
    // While the recorder is armed, the buffer could not be created.
    count_loss(armed() ? spool::Loss::kActivitiesDropped : spool::Loss::kActivitiesLate, unwritten);
  }
}

void finish_activities() noexcept {
  const WithoutCancellation uncancelled;
  timespec until{};
  clock_gettime(CLOCK_REALTIME, &until);
  ++until.tv_sec;
  if (pthread_mutex_timedlock(&activity_mutex, &until) != 0) {
    return;
  }
  for (std::uint32_t i = 0; shared != nullptr && waiting_count != 0 && i < kBuckets; ++i) {
    for (Activity& place : table->waiting[i]) {
      if (!place.is_none()) {
        record_or_aggregate(*shared, take(place), 0);
      }
    }
  }
  pthread_mutex_unlock(&activity_mutex);
}

void request_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records) {
  const KeptErrno kept_errno;
  *size = kBufferBytes;
  *most_records = 0;  // as many as fit
  pthread_mutex_lock(&mutex);
  *buffer = kept_count > 0 ? kept[--kept_count] : nullptr;
  pthread_mutex_unlock(&mutex);
  if (*buffer == nullptr) {
    *buffer = static_cast<std::uint8_t*>(map_memory(kBufferBytes));
  }
  handed_out.fetch_add(*buffer != nullptr ? 1 : 0);
}

void complete_buffer(void* context, std::uint32_t stream, std::uint8_t* buffer,
                     std::size_t /*size*/, std::size_t valid) {
  const KeptErrno kept_errno;
  write_activities(context, stream, buffer, valid);
  written.fetch_add(1);
  pthread_mutex_lock(&mutex);
  const bool has_place = kept_count < kMostKept;
  if (buffer != nullptr && has_place) {
    kept[kept_count++] = buffer;
  }
  pthread_mutex_unlock(&mutex);
  if (buffer != nullptr && !has_place) {
    munmap(buffer, kBufferBytes);
  }
}

void await_activity_buffers() noexcept {
  constexpr timespec kPause{0, 100'000};
  constexpr std::uint64_t kLongest = 100'000'000;
  const WithoutCancellation uncancelled;
  const std::uint64_t expected = handed_out.load();
  const std::uint64_t begin = nanoseconds_of(CLOCK_MONOTONIC);
  while (written.load() < expected && nanoseconds_of(CLOCK_MONOTONIC) - begin < kLongest) {
    nanosleep(&kPause, nullptr);
  }
}

void forget_activities() noexcept {
  pthread_mutex_init(&mutex, nullptr);
  pthread_mutex_init(&activity_mutex, nullptr);
  handed_out.store(0);
  written.store(0);
  if (table != nullptr) {
    munmap(table, sizeof(Table));
  }
  table = nullptr;
  waiting_count = 0;
  shared = nullptr;
  devices_written = 0;
  first_clock_written = false;
  last_name = spool::ActivityNameId::kNone;
  memset(names, 0, sizeof(names));
}

}  // namespace ompdm::record
