// CUPTI's activity API over the stand-in driver, for tests. Its buffers have settings of their own
// (cupti_buffers.h).
//
//   STANDIN_CUPTI      no_driver: every call that needs the driver fails as it does without one;
//                      subscribed: another tool has the only place
//   STANDIN_REGISTERS  what each thread of a kernel needs (32)
#include <dlfcn.h>
#include <time.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "cupti_buffers.h"
#include "observer.h"

namespace standin::cupti {
namespace {

constexpr std::uint32_t kNoCall = 800;  // larger than the number of any driver call

enum Result : int {
  kSuccess = 0,
  kInvalidParameter = 1,
  kMaxLimitReached = 12,
  kInvalidOperation = 16,
  kQueueEmpty = 18,
  kMultipleSubscribers = 39,
  kUnknown = 999,
};

thread_local std::map<std::uint32_t, std::vector<std::uint64_t>> external;

std::uint64_t nanoseconds(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(time.tv_nsec);
}

std::uint64_t timestamp() {
  return state().timestamp != nullptr ? state().timestamp() : nanoseconds(CLOCK_REALTIME);
}

// The device's clock, which here is CLOCK_MONOTONIC, on the clock of the records. Two clocks are
// not read at once: of a few readings the one counts that was disturbed least.
std::uint64_t normalized(std::uint64_t device_time) {
  constexpr int kReadings = 5;
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t offset = 0;
  for (int i = 0; i < kReadings; ++i) {
    const std::uint64_t before = nanoseconds(CLOCK_MONOTONIC);
    const std::uint64_t now = timestamp();
    const std::uint64_t taken = nanoseconds(CLOCK_MONOTONIC) - before;
    if (taken >= least) continue;
    least = taken;
    offset = now - (before + taken / 2);
  }
  return offset + device_time;
}

bool mode_is(std::string_view mode) {
  const char* text = std::getenv("STANDIN_CUPTI");
  return text != nullptr && text == mode;
}

void on_call(const Call& call) {
  State& all = state();
  const std::lock_guard lock(all.mutex);
  if (!all.kinds.contains(kDriver) || all.disabled_calls.contains(call.cbid)) return;
  if (all.kinds.contains(kExternalCorrelation)) {
    for (const auto& [kind, ids] : external) {
      if (ids.empty()) continue;
      const External record{kExternalCorrelation, kind, ids.back(), call.correlation, 0};
      append(&record, sizeof(record));
    }
  }
  Api record{};
  record.kind = kDriver;
  record.cbid = call.cbid;
  record.start = normalized(call.begin);
  record.end = normalized(call.end);
  record.correlation = call.correlation;
  append(&record, sizeof(record));
}

template <class Record>
Record begun(std::uint32_t kind, const Done& done) {
  Record record{};
  record.kind = kind;
  record.start = normalized(done.begin);
  record.end = record.start + (done.end - done.begin);
  record.device = done.device;
  record.context = done.device + 1;
  record.stream = done.stream != 0 ? done.stream : 7;
  record.correlation = done.correlation;
  return record;
}

template <class Record>
Record copied(std::uint32_t kind, const Done& done) {
  auto record = begun<Record>(kind, done);
  record.copy_kind = done.copy;
  record.src_kind = done.source;
  record.dst_kind = done.destination;
  record.bytes = done.bytes;
  return record;
}

void on_done(const Done& done) {
  switch (done.work) {
    case Work::kCopy:
      return append_activity(copied<Memcpy>(kMemcpy, done));
    case Work::kPeerCopy: {
      auto record = copied<PeerMemcpy>(kMemcpy2, done);
      record.src_device = done.from_device;
      record.dst_device = done.to_device;
      return append_activity(record);
    }
    case Work::kMemset: {
      auto record = begun<Memset>(kMemset, done);
      record.bytes = done.bytes;
      record.memory_kind = done.destination;
      return append_activity(record);
    }
    case Work::kKernel: {
      auto record = begun<Kernel>(kConcurrentKernel, done);
      static const char* registers = std::getenv("STANDIN_REGISTERS");
      record.registers =
          static_cast<std::uint16_t>(registers != nullptr ? std::atoi(registers) : 32);
      record.static_shared = 1024;
      record.dynamic_shared = static_cast<std::int32_t>(done.dynamic_shared);
      for (int i = 0; i < 3; ++i) {
        record.grid[i] = static_cast<std::int32_t>(done.grid[i]);
        record.block[i] = static_cast<std::int32_t>(done.block[i]);
      }
      record.name = done.kernel;
      return append_activity(record);
    }
  }
}

void on_waited(const Waited& waited) {
  Synchronization record{};
  record.kind = kSynchronization;
  record.type = static_cast<std::uint32_t>(waited.kind);
  record.start = normalized(waited.begin);
  record.end = record.start + (waited.end - waited.begin);
  record.correlation = waited.correlation;
  record.context = waited.device + 1;
  record.stream = waited.stream;
  record.event = waited.event;
  append_activity(record);
}

constexpr Observer kObserver{on_call, on_done, on_waited};

bool watch_driver() {
  void* driver = dlopen("libcuda.so", RTLD_LAZY | RTLD_NOLOAD);
  if (driver == nullptr || mode_is("no_driver")) return false;
  auto observe = reinterpret_cast<void (*)(const Observer*)>(dlsym(driver, "standin_observe"));
  if (observe != nullptr) observe(&kObserver);
  return observe != nullptr;
}

}  // namespace

extern "C" {

int cuptiGetVersion(std::uint32_t* version) {
  *version = kVersion;
  return kSuccess;
}

int cuptiGetResultString(int result, const char** text) {
  *text = result == kMultipleSubscribers ? "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED"
          : result == kUnknown           ? "CUPTI_ERROR_UNKNOWN"
                                         : "CUPTI_ERROR";
  return kSuccess;
}

int cuptiSubscribe(void** subscriber, void*, void*) {
  if (mode_is("no_driver")) return kUnknown;
  if (mode_is("subscribed")) return kMultipleSubscribers;
  *subscriber = &state();
  return kSuccess;
}
int cuptiUnsubscribe(void*) { return kSuccess; }

int cuptiActivityRegisterCallbacks(RequestBuffer request, CompleteBuffer complete) {
  register_callbacks(request, complete);
  return kSuccess;
}

int cuptiActivityEnable(std::uint32_t kind) {
  if (!watch_driver()) return kUnknown;
  const std::lock_guard lock(state().mutex);
  state().kinds.insert(kind);
  if (kind == kDriver) state().disabled_calls.clear();
  return kSuccess;
}

int cuptiActivityDisable(std::uint32_t kind) {
  const std::lock_guard lock(state().mutex);
  state().kinds.erase(kind);
  return kSuccess;
}

int cuptiActivityFlushAll(std::uint32_t) { return flush() ? kSuccess : kInvalidOperation; }

int cuptiActivityGetNextRecord(std::uint8_t* buffer, std::size_t valid, std::uint8_t** record) {
  std::uint8_t* next = buffer;
  if (*record != nullptr) {
    std::uint32_t kind = 0;
    std::memcpy(&kind, *record, sizeof(kind));
    next = *record + size_of(kind);
  }
  if (next >= buffer + valid) return kMaxLimitReached;
  *record = next;
  return kSuccess;
}

int cuptiActivityGetNumDroppedRecords(void*, std::uint32_t, std::size_t* dropped) {
  const std::lock_guard lock(state().mutex);
  *dropped = std::exchange(state().dropped, 0);
  return kSuccess;
}

int cuptiActivityPushExternalCorrelationId(std::uint32_t kind, std::uint64_t id) {
  external[kind].push_back(id);
  return kSuccess;
}

int cuptiActivityPopExternalCorrelationId(std::uint32_t kind, std::uint64_t* id) {
  std::vector<std::uint64_t>& ids = external[kind];
  if (ids.empty()) return kQueueEmpty;
  if (id != nullptr) *id = ids.back();
  ids.pop_back();
  return kSuccess;
}

int cuptiGetTimestamp(std::uint64_t* time) {
  *time = timestamp();
  return kSuccess;
}

#ifndef STANDIN_CUPTI_11
int cuptiActivityRegisterTimestampCallback(std::uint64_t (*callback)()) {
  if (callback == nullptr) return kInvalidParameter;
  state().timestamp = callback;
  return kSuccess;
}

int cuptiActivityFlushPeriod(std::uint32_t) { return kSuccess; }

// As measured with CUPTI 12.9 and 13.0 on an H200: it chooses among the calls of the enabled kind
// DRIVER. Without the kind it succeeds, and no record is written.
int cuptiActivityEnableDriverApi(std::uint32_t cbid, std::uint8_t enable) {
  if (cbid >= kNoCall) return kInvalidParameter;
  const std::lock_guard lock(state().mutex);
  if (enable != 0) {
    state().disabled_calls.erase(cbid);
  } else {
    state().disabled_calls.insert(cbid);
  }
  return kSuccess;
}
#endif

/// Not CUPTI's: for tests that count what came late.
void standinCuptiWaitForBuffers() { wait_for_buffers(); }

}  // extern "C"
}  // namespace standin::cupti
