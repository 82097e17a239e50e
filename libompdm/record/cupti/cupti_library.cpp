#include "record/cupti/cupti_library.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include "record/process/recorder.h"
#include "spool_format/cupti_places.h"

namespace ompdm::record {
namespace {

constexpr std::size_t kMostFolders = 8;

// Paths of what is loaded: a library by the begin of its file's name, or the folders of CUDA's.
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

int look_at(dl_phdr_info* info, std::size_t /*size*/, void* data) noexcept {
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
  dl_iterate_phdr(look_at, &loaded);
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

void* open_installed(int major) noexcept {
  static Loaded loaded;
  loaded = {};
  loaded.folders_wanted = true;
  dl_iterate_phdr(look_at, &loaded);
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

}  // namespace

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

}  // namespace ompdm::record
