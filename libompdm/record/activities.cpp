#include "record/activities.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#include "record/clock.h"
#include "record/cupti.h"
#include "record/lane.h"

namespace ompdm::record {
namespace {

using cupti::Kind;

// Small: a killed process loses what is in the buffer that CUPTI still fills.
constexpr std::size_t kBufferBytes = std::size_t{64} * 1024;
constexpr unsigned kMostKept = 32;  // buffers for another use; more are given back
constexpr unsigned kMostDevices = 64;
constexpr unsigned kMostNames = 1024;  // a power of two

// Its own mutex: CUPTI calls from inside the driver, whatever the recorder's holds.
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
class ActivityLock {
 public:
  ActivityLock() noexcept { pthread_mutex_lock(&mutex); }
  ~ActivityLock() { pthread_mutex_unlock(&mutex); }
  ActivityLock(const ActivityLock&) = delete;
  ActivityLock& operator=(const ActivityLock&) = delete;
};

std::uint8_t* kept[kMostKept];
unsigned kept_count = 0;

struct NamedDevice {
  spool::CudaDevice record;
  char name[128];
};
NamedDevice devices[kMostDevices];
unsigned device_count = 0;
unsigned devices_written = 0;

spool::CuptiClock first_clock{};
bool first_clock_written = false;

Lane* lane = nullptr;

struct KnownName {
  std::uint64_t hash;
  std::uint32_t id;
};
KnownName names[kMostNames];
std::uint32_t next_name = 0;

void write_clock(const spool::CuptiClock& clock) noexcept {
  if (auto* record = reserve<spool::CuptiClock>(*lane)) {
    *record = clock;
    record->head = {};
    commit(*lane, record, spool::Tag::kCuptiClock, 0);
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
    auto* record = reserve<spool::CudaDevice>(*lane, size);
    if (record == nullptr) {
      return;
    }
    *record = device.record;
    record->head = {};
    record->size = static_cast<std::uint32_t>(size);
    memcpy(record + 1, device.name, size);
    commit(*lane, record, spool::Tag::kCudaDevice, 0, size);
  }
}

// The lane, made when the first activity comes. Where there are directives, their spool has to be
// there already: what the runtime copies before the first of them is not worth a trace.
bool have_lane() noexcept {
  const Phase phase = recorder.phase.load(std::memory_order_relaxed);
  if (phase != Phase::kArmed && phase != Phase::kPaused) {
    return false;
  }
  if (lane == nullptr) {
    if (!spool_is_open() && recorder.draft.attached_by != spool::kAttachedByCuda) {
      return false;
    }
    lane = new_shared_lane();
    if (lane == nullptr) {
      return false;
    }
  }
  if (!first_clock_written) {
    first_clock_written = true;
    write_clock(first_clock);
  }
  write_devices();
  return true;
}

std::uint32_t name_of(const char* text) noexcept {
  if (text == nullptr) {
    return 0;
  }
  const std::size_t length = strlen(text);
  std::uint64_t hash = 0xcbf29ce484222325U;  // FNV-1a
  for (std::size_t i = 0; i < length; ++i) {
    hash = (hash ^ static_cast<unsigned char>(text[i])) * 0x100000001b3U;
  }
  std::size_t at = hash % kMostNames;
  for (unsigned tries = 0; tries < kMostNames && names[at].id != 0; ++tries) {
    if (names[at].hash == hash) {
      return names[at].id;
    }
    at = (at + 1) % kMostNames;
  }
  const std::size_t most = kMostRecordBytes - sizeof(spool::ActivityName);
  const std::size_t size = (length < most ? length : most - 1) + 1;
  auto* record = reserve<spool::ActivityName>(*lane, size);
  if (record == nullptr) {
    return 0;
  }
  record->id = ++next_name;
  record->size = static_cast<std::uint32_t>(size);
  memcpy(record + 1, text, size - 1);
  commit(*lane, record, spool::Tag::kActivityName, 0, size);
  if (names[at].id == 0) {
    names[at] = {hash, next_name};
  }
  return next_name;
}

// CUPTI gives 0 for times that it does not know (yet).
bool is_complete(std::uint64_t start, std::uint64_t end) noexcept {
  if (start != 0 && end != 0) {
    return true;
  }
  count_loss(spool::Loss::kActivitiesIncomplete);
  return false;
}

void write_kernel(const cupti::KernelRecord& kernel) noexcept {
  if (!is_complete(kernel.start, kernel.end)) {
    return;
  }
  const std::uint32_t name = name_of(kernel.name);
  auto* record = reserve<spool::KernelActivity>(*lane);
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
  commit(*lane, record, spool::Tag::kKernelActivity, 0);
}

// The fields that copies, peer copies and memsets share.
template <class Record>
spool::MemoryActivity* begin_memory(const Record& activity) noexcept {
  auto* record =
      is_complete(activity.start, activity.end) ? reserve<spool::MemoryActivity>(*lane) : nullptr;
  if (record != nullptr) {
    record->correlation = activity.correlation;
    record->begin = activity.start;
    record->end = activity.end;
    record->bytes = activity.bytes;
    record->stream = activity.stream;
    record->device = static_cast<std::uint16_t>(activity.device);
    record->context = static_cast<std::uint16_t>(activity.context);
  }
  return record;
}

void commit_memory(spool::MemoryActivity* record, spool::MemoryWork work) noexcept {
  commit(*lane, record, spool::Tag::kMemoryActivity, static_cast<std::uint8_t>(work));
}

void write_copy(const cupti::MemcpyRecord& copy) noexcept {
  if (spool::MemoryActivity* record = begin_memory(copy)) {
    record->copy_kind = copy.copy_kind;
    record->source_kind = copy.source_kind;
    record->destination_kind = copy.destination_kind;
    commit_memory(record, spool::MemoryWork::kCopy);
  }
}

void write_peer_copy(const cupti::PeerRecord& copy) noexcept {
  if (spool::MemoryActivity* record = begin_memory(copy)) {
    record->copy_kind = copy.copy_kind;
    record->source_kind = copy.source_kind;
    record->destination_kind = copy.destination_kind;
    record->source_device = static_cast<std::uint16_t>(copy.source_device);
    record->destination_device = static_cast<std::uint16_t>(copy.destination_device);
    commit_memory(record, spool::MemoryWork::kPeerCopy);
  }
}

void write_memset(const cupti::MemsetRecord& fill) noexcept {
  if (spool::MemoryActivity* record = begin_memory(fill)) {
    record->destination_kind = static_cast<std::uint8_t>(fill.memory_kind);
    commit_memory(record, spool::MemoryWork::kMemset);
  }
}

void write_external(const cupti::ExternalRecord& external) noexcept {
  if (external.external_kind != cupti::kCustom0) {
    return;  // another tool's
  }
  if (auto* record = reserve<spool::ExternalId>(*lane)) {
    record->correlation = external.correlation;
    record->id = external.id;
    commit(*lane, record, spool::Tag::kExternalId, 0);
  }
}

void write_activity(const std::uint8_t* activity) noexcept {
  Kind kind{};
  memcpy(&kind, activity, sizeof(kind));
  switch (kind) {
    case Kind::kConcurrentKernel:
      return write_kernel(*reinterpret_cast<const cupti::KernelRecord*>(activity));
    case Kind::kMemcpy:
      return write_copy(*reinterpret_cast<const cupti::MemcpyRecord*>(activity));
    case Kind::kMemcpyPeer:
      return write_peer_copy(*reinterpret_cast<const cupti::PeerRecord*>(activity));
    case Kind::kMemset:
      return write_memset(*reinterpret_cast<const cupti::MemsetRecord*>(activity));
    case Kind::kExternalCorrelation:
      return write_external(*reinterpret_cast<const cupti::ExternalRecord*>(activity));
    case Kind::kDriver:  // asked for only because external ids come with it
      break;
  }
}

void give_back(std::uint8_t* buffer) noexcept {
  const ActivityLock lock;
  if (kept_count < kMostKept) {
    kept[kept_count++] = buffer;
  } else {
    munmap(buffer, kBufferBytes);
  }
}

}  // namespace

void request_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records) {
  *buffer = nullptr;
  *size = kBufferBytes;
  *most_records = 0;  // as many as fit
  {
    const ActivityLock lock;
    if (kept_count > 0) {
      *buffer = kept[--kept_count];
      return;
    }
  }
  void* memory =
      mmap(nullptr, kBufferBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory != MAP_FAILED) {
    *buffer = static_cast<std::uint8_t*>(memory);
  }
}

void complete_buffer(void* context, std::uint32_t stream, std::uint8_t* buffer,
                     std::size_t /*size*/, std::size_t valid) {
  {
    const ActivityLock lock;
    std::size_t dropped = 0;
    if (cupti_functions.dropped_records(context, stream, &dropped) == cupti::kSuccess) {
      count_loss(spool::Loss::kActivitiesDropped, dropped);
    }
    const bool recorded = valid > 0 && have_lane();
    std::uint8_t* record = nullptr;
    std::uint64_t too_late = 0;
    while (valid > 0 && cupti_functions.next_record(buffer, valid, &record) == cupti::kSuccess) {
      if (recorded) {
        write_activity(record);
      } else {
        ++too_late;
      }
    }
    if (recorded) {
      write_clock(clock_now());
      refresh_clock(*lane);
    } else if (spool_is_open()) {
      count_loss(spool::Loss::kActivitiesDropped, too_late);
    }
  }
  if (buffer != nullptr) {
    give_back(buffer);
  }
}

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

void forget_activities() noexcept {
  pthread_mutex_init(&mutex, nullptr);
  lane = nullptr;
  devices_written = 0;
  first_clock_written = false;
  next_name = 0;
  memset(names, 0, sizeof(names));
}

}  // namespace ompdm::record
