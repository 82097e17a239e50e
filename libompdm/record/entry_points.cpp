#include "record/entry_points.h"

#include <dlfcn.h>
#include <string.h>

#include "record/loaded_objects.h"

namespace ompdm::record {

namespace {

struct Runtime {
  std::uint64_t begin;
  std::uint64_t end;
  std::uint64_t
      closes;       ///< of all libraries, when it was found: it may have been one of them since
  char path[1024];  ///< empty: not loaded
};

bool known = false;
int (*get_default_device)() = nullptr;
std::uint64_t runtime_begin = 0;
std::uint64_t runtime_end = 0;
std::uint64_t runtime_closes = 0;

int visit(dl_phdr_info* info, std::size_t size, void* data) noexcept {
  if (!is_offload_runtime(*info)) {
    return 0;
  }
  Runtime& runtime = *static_cast<Runtime*>(data);
  strncpy(runtime.path, info->dlpi_name, sizeof(runtime.path) - 1);
  runtime.begin = info->dlpi_addr;
  runtime.end = runtime.begin;
  for (unsigned i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    const std::uint64_t end = info->dlpi_addr + segment.p_vaddr + segment.p_memsz;
    if (segment.p_type == PT_LOAD && end > runtime.end) {
      runtime.end = end;
    }
  }
  if (size >= offsetof(dl_phdr_info, dlpi_subs) + sizeof(info->dlpi_subs)) {
    runtime.closes = info->dlpi_subs;
  }
  return 1;
}

Runtime find_runtime() noexcept {
  Runtime runtime{};
  walk_objects(visit, &runtime);
  return runtime;
}

// A handle without loading anything, or null.
void* open_runtime(const Runtime& runtime) noexcept {
  return runtime.path[0] != '\0' ? dlopen(runtime.path, RTLD_LAZY | RTLD_NOLOAD) : nullptr;
}

}  // namespace

bool is_offload_runtime(const dl_phdr_info& info) noexcept {
  const char* slash = strrchr(info.dlpi_name, '/');
  return strncmp(slash != nullptr ? slash + 1 : info.dlpi_name, "libomptarget.so", 15) == 0;
}

bool offload_runtime_is_loaded() noexcept { return find_runtime().path[0] != '\0'; }

bool entry_points_are_known() noexcept { return known; }

void* next_entry_point(const char* name) noexcept {
  void* next = dlsym(RTLD_NEXT, name);
  void* runtime = next == nullptr ? open_runtime(find_runtime()) : nullptr;
  if (runtime != nullptr) {
    // It came with a library that was opened privately.
    next = dlsym(runtime, name);
    dlclose(runtime);
  }
  return next;
}

bool find_entry_points() noexcept {
  const Runtime found = find_runtime();
  if (kWrapperCount == 0 ||
      (known && found.begin == runtime_begin && found.closes == runtime_closes)) {
    return known;
  }
  void* runtime = open_runtime(found);
  if (runtime == nullptr) {
    return false;
  }
  for (unsigned i = 0; i < kWrapperCount; ++i) {
    void* function = dlsym(runtime, kWrappers[i].name);
    void* seen_by_program = dlsym(RTLD_DEFAULT, kWrappers[i].name);
    // Where another library interposes the function, skipping it would change the program.
    const bool direct = seen_by_program == nullptr || seen_by_program == function;
    // A wrapper that is in use already must keep a function to jump to.
    if (function != nullptr && (direct || ompdm_real[i] != nullptr)) {
      __atomic_store_n(&ompdm_real[i], function, __ATOMIC_RELAXED);
    }
  }
  dlclose(runtime);
  get_default_device = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "omp_get_default_device"));
  runtime_begin = found.begin;
  runtime_end = found.end;
  runtime_closes = found.closes;
  known = true;
  return true;
}

int default_device() noexcept { return get_default_device != nullptr ? get_default_device() : -1; }

bool is_in_offload_runtime(const void* address) noexcept {
  const auto at = reinterpret_cast<std::uint64_t>(address);
  return at >= runtime_begin && at < runtime_end;
}

}  // namespace ompdm::record
