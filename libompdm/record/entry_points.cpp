#include "record/entry_points.h"

#include <dlfcn.h>
#include <string.h>

#include "record/loaded_objects.h"

namespace ompdm::record {

namespace {

bool known = false;
int (*get_default_device)() = nullptr;
AddressRange runtime{};
// The loader's count of closes when the runtime was found: it may have been one of them since.
std::uint64_t runtime_closes = 0;

// A handle without loading anything, or null.
void* open_runtime(const char* path) noexcept {
  return path[0] != '\0' ? dlopen(path, RTLD_LAZY | RTLD_NOLOAD) : nullptr;
}

}  // namespace

bool is_offload_runtime(const dl_phdr_info& info) noexcept {
  const char* slash = strrchr(info.dlpi_name, '/');
  return strncmp(slash != nullptr ? slash + 1 : info.dlpi_name, "libomptarget.so", 15) == 0;
}

OffloadRuntime find_offload_runtime() noexcept {
  OffloadRuntime found{};
  walk_objects([&found](const dl_phdr_info& info) {
    if (!is_offload_runtime(info)) {
      return false;
    }
    found.range = range_of(info);
    found.closes = info.dlpi_subs;
    copy_path(info, found.path, sizeof(found.path));
    return true;
  });
  return found;
}

bool offload_runtime_is_loaded() noexcept { return find_offload_runtime().path[0] != '\0'; }

bool can_patch() noexcept { return known && recorder.config.names; }

void* next_entry_point(const char* name) noexcept {
  void* next = dlsym(RTLD_NEXT, name);
  void* library = next == nullptr ? open_runtime(find_offload_runtime().path) : nullptr;
  if (library != nullptr) {
    // It came with a library that was opened privately.
    next = dlsym(library, name);
    dlclose(library);
  }
  return next;
}

bool find_entry_points() noexcept {
  const OffloadRuntime found = find_offload_runtime();
  if (kWrapperCount == 0 ||
      (known && found.range.begin == runtime.begin && found.closes == runtime_closes)) {
    return known;
  }
  void* library = open_runtime(found.path);
  if (library == nullptr) {
    return false;
  }
  for (unsigned i = 0; i < kWrapperCount; ++i) {
    void* function = dlsym(library, kWrappers[i].name);
    void* seen_by_program = dlsym(RTLD_DEFAULT, kWrappers[i].name);
    // Where another library interposes the function, skipping it would change the program.
    const bool direct = seen_by_program == nullptr || seen_by_program == function;
    // A wrapper that is in use already must keep a function to jump to.
    if (function != nullptr && (direct || ompdm_real[i] != nullptr)) {
      __atomic_store_n(&ompdm_real[i], function, __ATOMIC_RELAXED);
    }
  }
  dlclose(library);
  get_default_device = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "omp_get_default_device"));
  runtime = found.range;
  runtime_closes = found.closes;
  known = true;
  return true;
}

int default_device() noexcept { return get_default_device != nullptr ? get_default_device() : -1; }

bool is_in_offload_runtime(const void* address) noexcept {
  return runtime.holds(reinterpret_cast<std::uint64_t>(address));
}

}  // namespace ompdm::record
