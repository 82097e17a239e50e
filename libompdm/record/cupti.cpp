#include "record/cupti.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <initializer_list>

#include "record/clock.h"
#include "record/loaded_objects.h"
#include "spool_format/cupti_places.h"

namespace ompdm::record {

cupti::Functions cupti_functions{};

namespace {

using cupti::Kind;

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
bool tried = false;
std::atomic<bool> collecting{false};  // activities are enabled, with directives or without
char why[112];                        // the reason of the latest failure; guarded by the mutex

const char* file_of(const char* path) noexcept {
  const char* slash = strrchr(path, '/');
  return slash != nullptr ? slash + 1 : path;
}

bool begins(const char* text, const char* with) noexcept {
  return strncmp(text, with, strlen(with)) == 0;
}

// The handle of a loaded library, by the begin of its file name; null if none is loaded.
void* loaded_library(const char* name) noexcept {
  static char path[1024];  // too large for a small stack
  path[0] = '\0';
  walk_objects([name](const dl_phdr_info& info) {
    const bool found = begins(file_of(info.dlpi_name), name);
    if (found) {
      snprintf(path, sizeof(path), "%s", info.dlpi_name);
    }
    return found;
  });
  return path[0] != '\0' ? dlopen(path, RTLD_LAZY | RTLD_NOLOAD) : nullptr;
}

// A function of the loaded CUDA driver; null if there is none.
template <class Function>
Function* driver_function(const char* name) noexcept {
  void* driver = loaded_library("libcuda.so");
  return driver != nullptr ? reinterpret_cast<Function*>(dlsym(driver, name)) : nullptr;
}

[[gnu::noinline]] void* open_installed(int major) noexcept {
  constexpr std::size_t kMostFolders = 8;
  static char folders[kMostFolders][1024];  // of CUDA's libraries
  std::size_t count = 0;
  walk_objects([&](const dl_phdr_info& info) {
    const char* path = info.dlpi_name;
    const char* file = file_of(path);
    const bool of_cuda = begins(file, "libcudart.so") || begins(file, "libcuda.so") ||
                         begins(file, "libcublas.so") || begins(file, "libnvrtc.so");
    if (of_cuda && file != path) {
      snprintf(folders[count++], sizeof(folders[0]), "%.*s", static_cast<int>(file - path - 1),
               path);
    }
    return count == kMostFolders;
  });
  void* library = nullptr;
  spool::look_for_cupti(folders, count, major, [&](const char* path) noexcept {
    library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    return library != nullptr;
  });
  return library;
}

void* find_library() noexcept {
  if (const char* chosen = recorder.config.cupti_library) {
    void* library = dlopen(chosen, RTLD_LAZY | RTLD_LOCAL);
    if (library == nullptr) {
      snprintf(why, sizeof(why), "OMPDM_CUPTI_LIBRARY=%s cannot be opened", chosen);
    }
    return library;
  }
  if (void* library = loaded_library("libcupti.so")) {
    return library;
  }
  int version = 0;
  auto* get_version = driver_function<int(int*)>("cuDriverGetVersion");
  const bool is_known = get_version != nullptr && get_version(&version) == 0;
  const int newest = spool::newest_cupti_for(is_known ? version : 0);
  for (int major = newest; major >= spool::kOldestCuptiMajor; --major) {
    if (void* library = open_installed(major)) {
      return library;
    }
  }
  snprintf(why, sizeof(why), "no libcupti.so.%d to %d found: set OMPDM_CUPTI_LIBRARY",
           spool::kOldestCuptiMajor, newest);
  return nullptr;
}

template <class Function>
bool find(void* library, const char* name, Function& function) noexcept {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

// Opens CUPTI and finds its functions: OMPDM_CUPTI_LIBRARY's if it is set, else one that is
// loaded, else beside the CUDA libraries that are loaded, else where the loader and CUDA's
// installer keep it, of no newer major version than the driver. False if there is none.
bool open_cupti(cupti::Functions& functions) noexcept {
  void* library = find_library();
  if (library == nullptr) {
    return false;
  }
  const bool complete =
      find(library, "cuptiGetVersion", functions.get_version) &&
      find(library, "cuptiGetResultString", functions.get_result_string) &&
      find(library, "cuptiSubscribe", functions.subscribe) &&
      find(library, "cuptiUnsubscribe", functions.unsubscribe) &&
      find(library, "cuptiActivityRegisterCallbacks", functions.register_callbacks) &&
      find(library, "cuptiActivityEnable", functions.enable) &&
      find(library, "cuptiActivityFlushAll", functions.flush_all) &&
      find(library, "cuptiActivityGetNextRecord", functions.next_record) &&
      find(library, "cuptiActivityGetNumDroppedRecords", functions.dropped_records) &&
      find(library, "cuptiActivityPushExternalCorrelationId", functions.push_external) &&
      find(library, "cuptiActivityPopExternalCorrelationId", functions.pop_external) &&
      find(library, "cuptiGetTimestamp", functions.get_timestamp);
  if (!complete) {
    snprintf(why, sizeof(why), "this CUPTI is too old (CUDA %d is needed)",
             spool::kOldestCuptiMajor);
    return false;
  }
  find(library, "cuptiActivityRegisterTimestampCallback", functions.register_timestamp);
  find(library, "cuptiActivityFlushPeriod", functions.flush_period);
  find(library, "cuptiActivityEnableDriverApi", functions.enable_driver_api);
  return true;
}

constexpr std::uint32_t kFlushPeriodMs = 1000;

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

// Whether a call succeeded; otherwise says why not in `why`.
bool succeeded(const char* call, cupti::Result result) noexcept {
  const char* text = nullptr;
  if (result == cupti::kMultipleSubscribers) {
    snprintf(why, sizeof(why), "another tool uses CUPTI in this process");
  } else if (result != cupti::kSuccess) {
    cupti_functions.get_result_string(result, &text);
    snprintf(why, sizeof(why), "%s answered %d (%s)%s", call, result, text != nullptr ? text : "?",
             result == cupti::kUnknownError ? ": does the driver work?" : "");
  }
  return result == cupti::kSuccess;
}

// Driver calls that submit work or wait for it, by CUpti_driver_api_trace_cbid. (cuStreamWaitEvent,
// which LLVM calls before each kernel, does not block the host.)
constexpr std::uint16_t kCallsOfInterest[] = {
    276, 277, 278, 279, 280, 281,       // cuMemcpy{HtoD,DtoH,DtoD}{,Async}_v2
    287, 288, 289, 290, 291,            // cuMemcpy{2D,2DUnaligned,2DAsync,3D,3DAsync}_v2
    248, 305, 306, 318, 319, 320, 321,  // cuMemcpy_v2, cuMemcpy{,Async,Peer,PeerAsync,3DPeer…}
    249, 250, 251, 252, 253, 254,       // cuMemset{D8,D16,D32,D2D8,D2D16,D2D32}_v2
    216, 218, 220, 222, 224, 226,       // their asynchronous forms
    307,                                // cuLaunchKernel
    17,  121, 126,                      // cu{Ctx,Event,Stream}Synchronize
};
// Larger than any number of a call: CUDA 13's largest are below 800.
constexpr std::uint16_t kNoCall = 1000;

bool is_of_interest(std::uint16_t call) noexcept {
  for (const std::uint16_t of_interest : kCallsOfInterest) {
    if (call == of_interest) {
      return true;
    }
  }
  return false;
}

bool enable() noexcept {
  void* subscriber = nullptr;
  // There is one subscriber, so tools that subscribe do not disturb each other.
  const auto ignore = [](void*, std::uint32_t, std::uint32_t, const void*) {};
  if (!succeeded("cuptiSubscribe", cupti_functions.subscribe(&subscriber, ignore, nullptr))) {
    return false;
  }
  if (cupti_functions.register_timestamp != nullptr) {
    cupti_functions.register_timestamp([] { return nanoseconds_of(CLOCK_MONOTONIC); });
  }
  bool enabled = succeeded("cuptiActivityRegisterCallbacks",
                           cupti_functions.register_callbacks(request_buffer, complete_buffer));
  for (const Kind kind :
       {Kind::kConcurrentKernel, Kind::kMemcpy, Kind::kMemcpyPeer, Kind::kMemset}) {
    enabled = enabled && succeeded("cuptiActivityEnable", cupti_functions.enable(kind));
  }
  if (!enabled) {
    cupti_functions.unsubscribe(subscriber);
    return false;
  }
  // Useful, but recording goes on without it.
  if (cupti_functions.enable(Kind::kSynchronization) != cupti::kSuccess) {
    say("this CUPTI does not tell what the host waits for");
  }
  if (cupti_functions.flush_period != nullptr) {
    cupti_functions.flush_period(kFlushPeriodMs);
  }
  return true;
}

// Enables external ids, which tie activities to constructs. CUPTI delivers them with records of
// driver calls. CUPTI 12.9 and 13.0 write none of these for calls that only
// cuptiActivityEnableDriverApi enables, although it succeeds. So all calls are enabled, and then
// those are disabled whose records would only cost time. It refuses numbers of no call.
cupti::Result enable_external_ids() noexcept {
  for (const Kind kind : {Kind::kExternalCorrelation, Kind::kDriver}) {
    const cupti::Result result = cupti_functions.enable(kind);
    if (result != cupti::kSuccess) {
      return result;
    }
  }
  if (cupti_functions.enable_driver_api != nullptr) {
    for (std::uint16_t call = 1; call < kNoCall; ++call) {
      if (!is_of_interest(call)) {
        cupti_functions.enable_driver_api(call, 0);
      }
    }
  }
  return cupti::kSuccess;
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
  if (!open_cupti(cupti_functions) || !enable()) {
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

void describe_device(int number, int ordinal) noexcept {
  auto* get_name = driver_function<int(char*, int, int)>("cuDeviceGetName");
  auto* get = driver_function<int(int*, int, int)>("cuDeviceGetAttribute");
  if (get_name == nullptr || get == nullptr) {
    return;
  }
  // By the numbers of CUdevice_attribute.
  const auto attribute = [get, ordinal](int which) noexcept {
    int value = 0;
    return get(&value, which, ordinal) == 0 ? static_cast<std::uint32_t>(value) : 0;
  };
  spool::CudaDevice device{};
  device.number = number;
  device.ordinal = static_cast<std::uint32_t>(ordinal);
  device.compute_capability = attribute(75) * 10 + attribute(76);
  device.multiprocessors = attribute(16);
  device.threads_per_multiprocessor = attribute(39);
  device.blocks_per_multiprocessor = attribute(106);
  device.registers_per_multiprocessor = attribute(82);
  device.shared_per_multiprocessor = attribute(81);
  char name[128] = {};
  get_name(name, sizeof(name) - 1, ordinal);
  note_cuda_device(device, name);
}

// Without OpenMP the devices are described once, when the driver is initialised.
void describe_all_devices() noexcept {
  static bool done = false;
  auto* get = done ? nullptr : driver_function<int(int*)>("cuDeviceGetCount");
  int count = 0;
  if (get != nullptr && get(&count) == 0) {
    done = true;
    for (int ordinal = 0; ordinal < count; ++ordinal) {
      describe_device(-1, ordinal);
    }
  }
}

// The device whose context is current, while the plugin initialises it; -1: none.
int current_ordinal() noexcept {
  auto* get = driver_function<int(int*)>("cuCtxGetDevice");
  int ordinal = -1;
  return get != nullptr && get(&ordinal) == 0 ? ordinal : -1;
}

}  // namespace

void cupti_device(int number, const char* type) noexcept {
  if (type == nullptr || strncmp(type, "sm_", 3) != 0) {
    return;
  }
  const MutexLock lock(mutex);
  start();
  if (collecting.load() && !recorder.cupti.load()) {
    if (succeeded("cuptiActivityEnable", enable_external_ids())) {
      recorder.cupti.store(true, std::memory_order_release);
    } else {
      say("what CUDA devices do cannot be tied to directives: %s", why);
    }
  }
  const int ordinal = collecting.load() ? current_ordinal() : -1;
  if (ordinal >= 0) {
    describe_device(number, ordinal);
  }
}

void cupti_injected() noexcept {
  const MutexLock lock(mutex);
  start();
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
  forget_activities();
  if (tried) {
    set_state("unavailable: this process was forked from one that used CUDA");
  }
}

}  // namespace ompdm::record
