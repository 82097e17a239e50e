#include "record/cupti.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <initializer_list>

#include "record/clock.h"
#include "record/cupti_activities.h"
#include "spool_format/cupti_places.h"

namespace ompdm::record {

namespace {

/// The handle of the loaded CUDA driver, null if none is loaded.
void* loaded_cuda_driver() noexcept;

/// Opens CUPTI and finds its functions: OMPDM_CUPTI_LIBRARY's if it is set, else one that is
/// loaded, else beside the CUDA libraries that are loaded, else where the loader and CUDA's
/// installer keep it, of no newer major version than the driver. Returns false and says why in
/// `why` if there is none.
bool open_cupti(cupti::Functions& functions, char* why, std::size_t capacity) noexcept;

constexpr std::size_t kMostFolders = 8;

// A search among loaded objects: for the path of a library by the begin of its file name, or for
// the folders of CUDA's libraries.
struct Loaded {
  const char* name = nullptr;
  char path[1024] = {};
  bool folders_wanted = false;
  char folders[kMostFolders][1024] = {};
  std::size_t folder_count = 0;
};

const char* file_of(const char* path) noexcept {
  const char* slash = strrchr(path, '/');
  return slash != nullptr ? slash + 1 : path;
}

bool begins(const char* text, const char* with) noexcept {
  return strncmp(text, with, strlen(with)) == 0;
}

int visit_library(dl_phdr_info* info, std::size_t /*size*/, void* data) noexcept {
  auto& loaded = *static_cast<Loaded*>(data);
  const char* path = info->dlpi_name != nullptr ? info->dlpi_name : "";
  const char* file = file_of(path);
  if (loaded.name != nullptr && begins(file, loaded.name)) {
    snprintf(loaded.path, sizeof(loaded.path), "%s", path);
    return 1;
  }
  const bool of_cuda = begins(file, "libcudart.so") || begins(file, "libcuda.so") ||
                       begins(file, "libcublas.so") || begins(file, "libnvrtc.so");
  if (loaded.folders_wanted && of_cuda && file != path && loaded.folder_count < kMostFolders) {
    snprintf(loaded.folders[loaded.folder_count++], sizeof(loaded.folders[0]), "%.*s",
             static_cast<int>(file - path - 1), path);
  }
  return 0;
}

void* loaded_library(const char* name) noexcept {
  static Loaded loaded;  // too large for a small stack; callers are serialised
  loaded = {};
  loaded.name = name;
  dl_iterate_phdr(visit_library, &loaded);
  return loaded.path[0] != '\0' ? dlopen(loaded.path, RTLD_LAZY | RTLD_NOLOAD) : nullptr;
}

int newest_major() noexcept {
  using GetVersion = int (*)(int* version);
  int version = 0;
  if (void* driver = loaded_cuda_driver()) {
    auto get = reinterpret_cast<GetVersion>(dlsym(driver, "cuDriverGetVersion"));
    if (get == nullptr || get(&version) != 0) {
      version = 0;
    }
  }
  return spool::newest_cupti_for(version);
}

[[gnu::noinline]] void* open_installed(int major) noexcept {
  static Loaded loaded;
  loaded = {};
  loaded.folders_wanted = true;
  dl_iterate_phdr(visit_library, &loaded);
  void* library = nullptr;
  spool::look_for_cupti(loaded.folders, loaded.folder_count, major, [&](const char* path) noexcept {
    library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    return library != nullptr;
  });
  return library;
}

void* find_library(char* why, std::size_t capacity) noexcept {
  if (const char* chosen = recorder.config.cupti_library) {
    void* library = dlopen(chosen, RTLD_LAZY | RTLD_LOCAL);
    if (library == nullptr) {
      snprintf(why, capacity, "OMPDM_CUPTI_LIBRARY=%s cannot be opened", chosen);
    }
    return library;
  }
  if (void* library = loaded_library("libcupti.so")) {
    return library;
  }
  const int newest = newest_major();
  for (int major = newest; major >= spool::kOldestCuptiMajor; --major) {
    if (void* library = open_installed(major)) {
      return library;
    }
  }
  snprintf(why, capacity, "no libcupti.so.%d to %d found: set OMPDM_CUPTI_LIBRARY",
           spool::kOldestCuptiMajor, newest);
  return nullptr;
}

template <class Function>
bool find(void* library, const char* name, Function& function) noexcept {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

void* loaded_cuda_driver() noexcept { return loaded_library("libcuda.so"); }

bool open_cupti(cupti::Functions& functions, char* why, std::size_t capacity) noexcept {
  void* library = find_library(why, capacity);
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
      find(library, "cuptiActivityDisable", functions.disable) &&
      find(library, "cuptiActivityFlushAll", functions.flush_all) &&
      find(library, "cuptiActivityGetNextRecord", functions.next_record) &&
      find(library, "cuptiActivityGetNumDroppedRecords", functions.dropped_records) &&
      find(library, "cuptiActivityPushExternalCorrelationId", functions.push_external) &&
      find(library, "cuptiActivityPopExternalCorrelationId", functions.pop_external) &&
      find(library, "cuptiGetTimestamp", functions.get_timestamp);
  if (!complete) {
    snprintf(why, capacity, "this CUPTI is too old (CUDA %d is needed)", spool::kOldestCuptiMajor);
    return false;
  }
  find(library, "cuptiActivityRegisterTimestampCallback", functions.register_timestamp);
  find(library, "cuptiActivityFlushPeriod", functions.flush_period);
  find(library, "cuptiActivityEnableDriverApi", functions.enable_driver_api);
  return true;
}

}  // namespace

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

// Driver calls that submit work or wait for it, by CUpti_driver_api_trace_cbid. Records of others
// would only cost time. (cuStreamWaitEvent, which LLVM calls before each kernel, does not block the
// host.)
constexpr std::uint32_t kCallsOfInterest[] = {
    276, 277, 278, 279, 280, 281,       // cuMemcpy{HtoD,DtoH,DtoD}{,Async}_v2
    287, 288, 289, 290, 291,            // cuMemcpy{2D,2DUnaligned,2DAsync,3D,3DAsync}_v2
    248, 305, 306, 318, 319, 320, 321,  // cuMemcpy_v2, cuMemcpy{,Async,Peer,PeerAsync,3DPeer…}
    249, 250, 251, 252, 253, 254,       // cuMemset{D8,D16,D32,D2D8,D2D16,D2D32}_v2
    216, 218, 220, 222, 224, 226,       // their asynchronous forms
    307,                                // cuLaunchKernel
    17,  121, 126,                      // cu{Ctx,Event,Stream}Synchronize
};

// CUPTI delivers external ids with records of driver calls, so some calls must be enabled.
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
  // There is one subscriber, so tools that subscribe do not disturb each other.
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
  // Useful, but recording goes on without it.
  if (cupti_functions.enable(Kind::kSynchronization) != cupti::kSuccess) {
    say("this CUPTI does not tell what the host waits for");
  }
  if (cupti_functions.flush_period != nullptr) {
    cupti_functions.flush_period(kFlushPeriodMs);
  }
  return true;
}

// Enables external ids, which tie activities to constructs.
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

// Attributes of cuDeviceGetAttribute (CUdevice_attribute).
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

// Without OpenMP the devices are described once, when the driver is initialised.
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

// The device whose context is current, while the plugin initialises it; -1: none.
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
  forget_activities();
  if (tried) {
    set_state("unavailable: this process was forked from one that used CUDA");
  }
}

}  // namespace ompdm::record
