#include "record/cupti/activity_lane.h"

#include <string.h>
#include <time.h>

#include "record/cupti/cupti.h"
#include "record/process/clock.h"
#include "record/stream/fnv1a.h"

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

Lane* lane = nullptr;

struct KnownName {
  std::uint64_t hash;
  spool::ActivityNameId id;
};
KnownName names[kMostNames];
spool::ActivityNameId last_name = spool::ActivityNameId::kNone;

void write_clock(Lane& to, const spool::CuptiClock& clock) noexcept {
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

}  // namespace

Lane* activity_lane() noexcept {
  const Phase phase = of_this_process.phase.load(std::memory_order_relaxed);
  if (phase != Phase::kArmed && phase != Phase::kPaused) {
    return nullptr;
  }
  if (lane == nullptr) {
    // Where there are directives, their spool has to be there already: what the runtime copies
    // before the first of them is not worth a trace.
    if (!spool_is_open() && recorder.draft.attached_by != spool::kAttachedByCuda) {
      return nullptr;
    }
    lane = new_shared_lane();
    if (lane == nullptr) {
      return nullptr;
    }
  }
  if (!first_clock_written) {
    first_clock_written = true;
    write_clock(*lane, first_clock);
  }
  write_devices();
  return lane;
}

Lane* made_activity_lane() noexcept { return lane; }

spool::ActivityNameId activity_name(Lane& to, const char* text) noexcept {
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

void write_cupti_clock(Lane& to) noexcept { write_clock(to, clock_now()); }

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

void forget_activity_lane() noexcept {
  pthread_mutex_init(&activity_mutex, nullptr);
  lane = nullptr;
  devices_written = 0;
  first_clock_written = false;
  last_name = spool::ActivityNameId::kNone;
  memset(names, 0, sizeof(names));
}

}  // namespace ompdm::record
