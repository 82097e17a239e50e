// CUPTI's activity API over the stand-in driver, for tests: records are laid out as CUPTI 13 does,
// or, built with STANDIN_CUPTI_11, as CUPTI 11.0 does, which lacks some functions too.
//
//   STANDIN_CUPTI       no_driver: every call that needs the driver fails as it does without one;
//                       subscribed: another tool has the only place
//   STANDIN_REGISTERS   what each thread of a kernel needs (32)
//   STANDIN_CUPTI_DROP  every so many activities one is dropped, as when no buffer can be had
#include <dlfcn.h>
#include <time.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "observer.h"

namespace {

enum Result : int {
  kSuccess = 0,
  kInvalidParameter = 1,
  kMaxLimitReached = 12,
  kInvalidOperation = 16,
  kQueueEmpty = 18,
  kMultipleSubscribers = 39,
  kUnknown = 999,
};

enum Kind : std::uint32_t {
  kMemcpy = 1,
  kMemset = 2,
  kDriver = 4,
  kConcurrentKernel = 10,
  kMemcpy2 = 22,
  kExternalCorrelation = 39,
};

struct [[gnu::packed, gnu::aligned(8)]] Kernel {
  std::uint32_t kind;
  std::uint8_t cache;
  std::uint8_t shared_config;
  std::uint16_t registers;
  std::uint32_t partitioned[2];
  std::uint64_t start, end, completed;
  std::uint32_t device, context, stream;
  std::int32_t grid[3], block[3], static_shared, dynamic_shared;
  std::uint32_t local_per_thread, local_total, correlation;
  std::int64_t grid_id;
  const char* name;
  void* reserved;
  std::uint64_t queued, submitted;
  std::uint8_t launch_type, carveout[2], padding;
  std::uint32_t shared_executed;
  std::uint64_t graph_node;
  std::uint32_t shared_limit, graph;
#ifndef STANDIN_CUPTI_11
  void* access_policy;
  std::uint32_t channel[2], cluster[4];
  std::uint64_t local_total_v2;
  std::uint32_t clusters[2];
  std::uint8_t device_launched, padding2[7];
#endif
};

struct [[gnu::packed, gnu::aligned(8)]] Memcpy {
  std::uint32_t kind;
  std::uint8_t copy_kind, src_kind, dst_kind, flags;
  std::uint64_t bytes, start, end;
  std::uint32_t device, context, stream, correlation, runtime_correlation, pad;
  void* reserved;
  std::uint64_t graph_node;
  std::uint32_t graph, channel;
#ifndef STANDIN_CUPTI_11
  std::uint32_t channel_type;
  std::uint8_t device_launched, pad2[3];
  std::uint64_t copy_count;
#endif
};

struct [[gnu::packed, gnu::aligned(8)]] PeerMemcpy {
  std::uint32_t kind;
  std::uint8_t copy_kind, src_kind, dst_kind, flags;
  std::uint64_t bytes, start, end;
  std::uint32_t device, context, stream, src_device, src_context, dst_device, dst_context;
  std::uint32_t correlation;
  void* reserved;
  std::uint64_t graph_node;
  std::uint32_t graph, channel;
#ifndef STANDIN_CUPTI_11
  std::uint32_t channel_type;
#endif
};

struct [[gnu::packed, gnu::aligned(8)]] Memset {
  std::uint32_t kind, value;
  std::uint64_t bytes, start, end;
  std::uint32_t device, context, stream, correlation;
  std::uint16_t flags, memory_kind;
  std::uint32_t pad;
  void* reserved;
  std::uint64_t graph_node;
  std::uint32_t graph, channel;
#ifndef STANDIN_CUPTI_11
  std::uint32_t channel_type;
  std::uint8_t device_launched, pad2[3];
#endif
};

struct [[gnu::packed, gnu::aligned(8)]] Api {
  std::uint32_t kind, cbid;
  std::uint64_t start, end;
  std::uint32_t process, thread, correlation, return_value;
};

struct [[gnu::packed, gnu::aligned(8)]] External {
  std::uint32_t kind, external_kind;
  std::uint64_t id;
  std::uint32_t correlation, reserved;
};

// Layouts of cupti_activity.h (CUDA 13.0) and cupti_activity_deprecated.h (CUDA 11.0).
#ifdef STANDIN_CUPTI_11
static_assert(sizeof(Kernel) == 160 && sizeof(Memcpy) == 80 && sizeof(PeerMemcpy) == 88);
constexpr std::uint32_t kVersion = 13;  // cuptiGetVersion of CUDA 11.0
#else
static_assert(sizeof(Kernel) == 216 && sizeof(Memcpy) == 96 && sizeof(PeerMemcpy) == 96);
constexpr std::uint32_t kVersion = 130001;
#endif

std::size_t size_of(std::uint32_t kind) {
  switch (kind) {
    case kMemcpy:
      return sizeof(Memcpy);
    case kMemcpy2:
      return sizeof(PeerMemcpy);
    case kMemset:
      return sizeof(Memset);
    case kConcurrentKernel:
      return sizeof(Kernel);
    case kDriver:
      return sizeof(Api);
    case kExternalCorrelation:
      return sizeof(External);
    default:
      return 0;
  }
}

using RequestBuffer = void (*)(std::uint8_t** buffer, std::size_t* size, std::size_t* most);
using CompleteBuffer = void (*)(void* context, std::uint32_t stream, std::uint8_t* buffer,
                                std::size_t size, std::size_t valid);

struct Buffer {
  std::uint8_t* bytes = nullptr;
  std::size_t size = 0;
  std::size_t used = 0;
};

// Never destroyed: records come until the process has ended.
struct State {
  std::mutex mutex;
  std::condition_variable full_one;
  RequestBuffer request = nullptr;
  CompleteBuffer complete = nullptr;
  std::uint64_t (*timestamp)() = nullptr;
  std::set<std::uint32_t> kinds;
  std::set<std::uint32_t> driver_calls;
  Buffer buffer;
  std::deque<Buffer> full;
  std::size_t dropped = 0;
  std::uint64_t activities = 0;
};
State& state() {
  static State* one = new State;
  return *one;
}
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

// The device's clock, which here is CLOCK_MONOTONIC, on the clock of the records.
std::uint64_t normalized(std::uint64_t device_time) {
  return timestamp() - nanoseconds(CLOCK_MONOTONIC) + device_time;
}

bool mode_is(std::string_view mode) {
  const char* text = std::getenv("STANDIN_CUPTI");
  return text != nullptr && text == mode;
}

// Room in the buffer in use, or in a new one; the mutex is held.
void append(const void* record, std::size_t size) {
  State& all = state();
  if (all.buffer.bytes != nullptr && all.buffer.size - all.buffer.used < size) {
    all.full.push_back(std::exchange(all.buffer, {}));
    all.full_one.notify_one();
  }
  if (all.buffer.bytes == nullptr) {
    std::size_t most = 0;
    all.request(&all.buffer.bytes, &all.buffer.size, &most);
  }
  if (all.buffer.bytes == nullptr || all.buffer.size < size) {
    ++all.dropped;
    return;
  }
  std::memcpy(all.buffer.bytes + all.buffer.used, record, size);
  all.buffer.used += size;
}

template <class Record>
void append_activity(const Record& record) {
  static const char* every = std::getenv("STANDIN_CUPTI_DROP");
  State& all = state();
  const std::lock_guard lock(all.mutex);
  if (!all.kinds.contains(record.kind)) return;
  ++all.activities;
  if (every != nullptr && all.activities % std::strtoull(every, nullptr, 10) == 0) {
    ++all.dropped;
    return;
  }
  append(&record, sizeof(record));
}

void on_call(const standin::Call& call) {
  State& all = state();
  const std::lock_guard lock(all.mutex);
  if (!all.kinds.contains(kDriver) && !all.driver_calls.contains(call.cbid)) return;
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
Record begun(std::uint32_t kind, const standin::Done& done) {
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

void on_done(const standin::Done& done) {
  switch (done.work) {
    case standin::Work::kCopy: {
      auto record = begun<Memcpy>(kMemcpy, done);
      record.copy_kind = done.copy;
      record.src_kind = done.source;
      record.dst_kind = done.destination;
      record.bytes = done.bytes;
      return append_activity(record);
    }
    case standin::Work::kPeerCopy: {
      auto record = begun<PeerMemcpy>(kMemcpy2, done);
      record.copy_kind = done.copy;
      record.src_kind = done.source;
      record.dst_kind = done.destination;
      record.bytes = done.bytes;
      record.src_device = done.from_device;
      record.dst_device = done.to_device;
      return append_activity(record);
    }
    case standin::Work::kMemset: {
      auto record = begun<Memset>(kMemset, done);
      record.bytes = done.bytes;
      record.memory_kind = done.destination;
      return append_activity(record);
    }
    case standin::Work::kKernel: {
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

constexpr standin::Observer kObserver{on_call, on_done};

void deliver_full_buffers() {
  State& all = state();
  std::unique_lock lock(all.mutex);
  for (;;) {
    all.full_one.wait(lock, [&] { return !all.full.empty(); });
    const Buffer buffer = all.full.front();
    all.full.pop_front();
    lock.unlock();
    all.complete(nullptr, 0, buffer.bytes, buffer.size, buffer.used);
    lock.lock();
  }
}

bool watch_driver() {
  void* driver = dlopen("libcuda.so", RTLD_LAZY | RTLD_NOLOAD);
  if (driver == nullptr || mode_is("no_driver")) return false;
  auto observe =
      reinterpret_cast<void (*)(const standin::Observer*)>(dlsym(driver, "standin_observe"));
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
  State& all = state();
  const std::lock_guard lock(all.mutex);
  if (all.request == nullptr) std::thread(deliver_full_buffers).detach();
  all.request = request;
  all.complete = complete;
  return kSuccess;
}

int cuptiActivityEnable(std::uint32_t kind) {
  if (!watch_driver()) return kUnknown;
  const std::lock_guard lock(state().mutex);
  state().kinds.insert(kind);
  return kSuccess;
}

int cuptiActivityDisable(std::uint32_t kind) {
  const std::lock_guard lock(state().mutex);
  state().kinds.erase(kind);
  return kSuccess;
}

int cuptiActivityFlushAll(std::uint32_t) {
  State& all = state();
  std::unique_lock lock(all.mutex);
  if (all.request == nullptr) return kInvalidOperation;
  std::deque<Buffer> buffers = std::exchange(all.full, {});
  if (all.buffer.used > 0) buffers.push_back(std::exchange(all.buffer, {}));
  lock.unlock();
  for (const Buffer& buffer : buffers) {
    all.complete(nullptr, 0, buffer.bytes, buffer.size, buffer.used);
  }
  return kSuccess;
}

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

int cuptiActivityEnableDriverApi(std::uint32_t cbid, std::uint8_t enable) {
  if (!watch_driver()) return kUnknown;
  const std::lock_guard lock(state().mutex);
  if (enable != 0) {
    state().driver_calls.insert(cbid);
  } else {
    state().driver_calls.erase(cbid);
  }
  return kSuccess;
}
#endif

}  // extern "C"
