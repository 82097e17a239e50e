#include "record/cupti/cupti.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <initializer_list>

#include "record/cupti/activity_buffers.h"
#include "record/cupti/activity_lane.h"
#include "record/cupti/activity_owners.h"
#include "record/cupti/cupti_library.h"
#include "record/process/clock.h"
#include "record/process/message.h"
#include "record/process/recorder.h"

namespace ompdm::record {

cupti::Functions cupti_functions{};

namespace {

using cupti::Kind;

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
bool tried = false;
std::atomic<bool> collecting{false};  // activities are enabled, with directives or without

constexpr std::uint32_t kFlushPeriodMs = 1000;

std::uint64_t monotonic() { return nanoseconds_of(CLOCK_MONOTONIC); }

void ignore(void* /*user*/, std::uint32_t /*domain*/, std::uint32_t /*id*/, const void* /*data*/) {}

void set_state(const char* text) noexcept {
  std::uint32_t version = 0;
  if (cupti_functions.get_version != nullptr) {
    cupti_functions.get_version(&version);
  }
  for (spool::FileHeader* header : {&recorder.draft, recorder.header.load()}) {
    if (header != nullptr) {
      snprintf(header->cupti, sizeof(header->cupti), "%s", text);
      header->cupti_version = version;
    }
  }
}

void explain(const char* call, cupti::Result result, char* why, std::size_t capacity) noexcept {
  if (result == cupti::kMultipleSubscribers) {
    snprintf(why, capacity, "another tool uses CUPTI in this process");
    return;
  }
  const char* text = nullptr;
  cupti_functions.get_result_string(result, &text);
  snprintf(why, capacity, "%s answered %d (%s)%s", call, result, text != nullptr ? text : "?",
           result == cupti::kUnknownError ? ": does the driver work?" : "");
}

// Driver calls that ask the device for work or wait for it, by CUpti_driver_api_trace_cbid: the
// others' records would only cost time. (cuStreamWaitEvent, which LLVM calls before each kernel,
// makes no host wait.)
constexpr std::uint32_t kCallsOfInterest[] = {
    276, 277, 278, 279, 280, 281,       // cuMemcpy{HtoD,DtoH,DtoD}{,Async}_v2
    287, 288, 289, 290, 291,            // cuMemcpy{2D,2DUnaligned,2DAsync,3D,3DAsync}_v2
    248, 305, 306, 318, 319, 320, 321,  // cuMemcpy_v2, cuMemcpy{,Async,Peer,PeerAsync,3DPeer…}
    249, 250, 251, 252, 253, 254,       // cuMemset{D8,D16,D32,D2D8,D2D16,D2D32}_v2
    216, 218, 220, 222, 224, 226,       // their asynchronous forms
    307,                                // cuLaunchKernel
    17,  121, 126,                      // cu{Ctx,Event,Stream}Synchronize
};

// External ids come in front of records of driver calls, so some of those must be asked for.
cupti::Result enable_calls() noexcept {
  if (cupti_functions.enable_driver_api == nullptr) {
    return cupti_functions.enable(Kind::kDriver);
  }
  for (const std::uint32_t call : kCallsOfInterest) {
    const cupti::Result result = cupti_functions.enable_driver_api(call, 1);
    if (result != cupti::kSuccess) {
      return cupti_functions.enable(Kind::kDriver);
    }
  }
  return cupti::kSuccess;
}

bool enable(char* why, std::size_t capacity) noexcept {
  void* subscriber = nullptr;
  // Taking the one subscriber's place is how tools keep out of each other's way.
  cupti::Result result = cupti_functions.subscribe(&subscriber, ignore, nullptr);
  if (result != cupti::kSuccess) {
    explain("cuptiSubscribe", result, why, capacity);
    return false;
  }
  if (cupti_functions.register_timestamp != nullptr) {
    cupti_functions.register_timestamp(monotonic);
  }
  const char* failed = "cuptiActivityRegisterCallbacks";
  result = cupti_functions.register_callbacks(request_buffer, complete_buffer);
  if (result == cupti::kSuccess) {
    failed = "cuptiActivityEnable";
    for (const Kind kind :
         {Kind::kConcurrentKernel, Kind::kMemcpy, Kind::kMemcpyPeer, Kind::kMemset}) {
      result = cupti_functions.enable(kind);
      if (result != cupti::kSuccess) {
        break;
      }
    }
  }
  if (result != cupti::kSuccess) {
    explain(failed, result, why, capacity);
    cupti_functions.unsubscribe(subscriber);
    return false;
  }
  // Worth having, and not worth doing without the others.
  if (cupti_functions.enable(Kind::kSynchronization) != cupti::kSuccess) {
    say("this CUPTI does not tell what the host waits for");
  }
  if (cupti_functions.flush_period != nullptr) {
    cupti_functions.flush_period(kFlushPeriodMs);
  }
  return true;
}

// What activities are tied to constructs by.
cupti::Result enable_external_ids() noexcept {
  const cupti::Result result = cupti_functions.enable(Kind::kExternalCorrelation);
  return result == cupti::kSuccess ? enable_calls() : result;
}

void start() noexcept {
  if (tried) {
    return;
  }
  tried = true;
  if (!recorder.config.cupti) {
    set_state("off");
    return;
  }
  char why[112] = {};
  if (!open_cupti(cupti_functions, why, sizeof(why)) || !enable(why, sizeof(why))) {
    char text[128];
    snprintf(text, sizeof(text), "unavailable: %s", why);
    set_state(text);
    say("no CUPTI, so the host's clock alone is recorded: %s", why);
    return;
  }
  set_state("on");
  note_cupti_clock();
  collecting.store(true);
}

// What cuDeviceGetAttribute knows, by CUdevice_attribute.
enum Attribute : int {
  kMultiprocessors = 16,
  kThreadsPerMultiprocessor = 39,
  kCapabilityMajor = 75,
  kCapabilityMinor = 76,
  kSharedPerMultiprocessor = 81,
  kRegistersPerMultiprocessor = 82,
  kBlocksPerMultiprocessor = 106,
};

void describe_device(int number, int ordinal) noexcept {
  void* driver = loaded_cuda_driver();
  if (driver == nullptr) {
    return;
  }
  auto get_name = reinterpret_cast<int (*)(char*, int, int)>(dlsym(driver, "cuDeviceGetName"));
  auto get = reinterpret_cast<int (*)(int*, int, int)>(dlsym(driver, "cuDeviceGetAttribute"));
  if (get_name == nullptr || get == nullptr) {
    return;
  }
  const auto attribute = [get, ordinal](Attribute which) noexcept {
    int value = 0;
    return get(&value, which, ordinal) == 0 ? static_cast<std::uint32_t>(value) : 0;
  };
  spool::CudaDevice device{};
  device.number = number;
  device.ordinal = static_cast<std::uint32_t>(ordinal);
  device.compute_capability = attribute(kCapabilityMajor) * 10 + attribute(kCapabilityMinor);
  device.multiprocessors = attribute(kMultiprocessors);
  device.threads_per_multiprocessor = attribute(kThreadsPerMultiprocessor);
  device.blocks_per_multiprocessor = attribute(kBlocksPerMultiprocessor);
  device.registers_per_multiprocessor = attribute(kRegistersPerMultiprocessor);
  device.shared_per_multiprocessor = attribute(kSharedPerMultiprocessor);
  char name[128] = {};
  get_name(name, sizeof(name) - 1, ordinal);
  note_cuda_device(device, name);
}

// Where no runtime numbers the devices they are described once, when the driver is surely up.
void describe_all_devices() noexcept {
  static bool done = false;
  void* driver = done ? nullptr : loaded_cuda_driver();
  auto get = driver == nullptr ? nullptr
                               : reinterpret_cast<int (*)(int*)>(dlsym(driver, "cuDeviceGetCount"));
  int count = 0;
  if (get != nullptr && get(&count) == 0) {
    done = true;
    for (int ordinal = 0; ordinal < count; ++ordinal) {
      describe_device(-1, ordinal);
    }
  }
}

// The device whose context is current while the plugin initialises it.
int current_ordinal() noexcept {
  void* driver = loaded_cuda_driver();
  auto get = driver == nullptr ? nullptr
                               : reinterpret_cast<int (*)(int*)>(dlsym(driver, "cuCtxGetDevice"));
  int ordinal = -1;
  return get != nullptr && get(&ordinal) == 0 ? ordinal : -1;
}

}  // namespace

void cupti_device(int number, const char* type) noexcept {
  if (type == nullptr || strncmp(type, "sm_", 3) != 0) {
    return;
  }
  pthread_mutex_lock(&mutex);
  start();
  if (collecting.load() && !recorder.cupti.load()) {
    const cupti::Result result = enable_external_ids();
    if (result == cupti::kSuccess) {
      recorder.cupti.store(true, std::memory_order_release);
    } else {
      char why[112] = {};
      explain("cuptiActivityEnable", result, why, sizeof(why));
      say("what CUDA devices do cannot be tied to directives: %s", why);
    }
  }
  const int ordinal = collecting.load() ? current_ordinal() : -1;
  if (ordinal >= 0) {
    describe_device(number, ordinal);
  }
  pthread_mutex_unlock(&mutex);
}

void cupti_injected() noexcept {
  pthread_mutex_lock(&mutex);
  start();
  pthread_mutex_unlock(&mutex);
}

void flush_activities() noexcept {
  if (collecting.load()) {
    if (recorder.draft.attached_by == spool::kAttachedByCuda) {
      describe_all_devices();
    }
    cupti_functions.flush_all(cupti::kFlushForced);
  }
}

void flush_all_activities() noexcept {
  flush_activities();
  await_activity_buffers();
}

void forget_cupti() noexcept {
  pthread_mutex_init(&mutex, nullptr);
  recorder.cupti.store(false);
  collecting.store(false);
  forget_activity_buffers();
  forget_activity_lane();
  forget_owners();
  if (tried) {
    set_state("unavailable: this process was forked from one that used CUDA");
  }
}

}  // namespace ompdm::record
