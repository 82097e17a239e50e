#include "record/attach/reach.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "record/attach/stand_in.h"
#include "record/modules/entry_points.h"
#include "record/modules/loaded_objects.h"
#include "record/process/cancellation.h"
#include "record/process/message.h"
#include "record/process/recorder.h"
#include "spool_format/without_signal.h"

namespace ompdm::record {
namespace {

constexpr const char* kLookedFor = "libomp.so";
constexpr const char* kInstalled = "libomp.so.5";

// A handle without loading anything; null if the name is not loaded.
void* loaded(const char* name) noexcept { return dlopen(name, RTLD_LAZY | RTLD_NOLOAD); }

bool is_loaded(const char* name) noexcept {
  void* handle = loaded(name);
  if (handle != nullptr) {
    dlclose(handle);
  }
  return handle != nullptr;
}

char folder[1024];

int find_runtime(dl_phdr_info* info, std::size_t /*size*/, void* /*data*/) noexcept {
  const char* slash = strrchr(info->dlpi_name, '/');
  if (slash == nullptr || strncmp(slash + 1, kLookedFor, strlen(kLookedFor)) != 0 ||
      static_cast<std::size_t>(slash - info->dlpi_name) >= sizeof(folder)) {
    return 0;
  }
  memcpy(folder, info->dlpi_name, static_cast<std::size_t>(slash - info->dlpi_name));
  folder[slash - info->dlpi_name] = '\0';
  return 1;
}

int find_offload_runtime(dl_phdr_info* info, std::size_t /*size*/, void* data) noexcept {
  if (!is_offload_runtime(*info)) {
    return 0;
  }
  *static_cast<const char**>(data) = info->dlpi_name;
  return 1;
}

bool is_filled(int file) noexcept {
  const spool::WithoutFileSizeSignal guard;
  return write(file, kStandIn, kStandInSize) == static_cast<ssize_t>(kStandInSize);
}

}  // namespace

bool cure_missing_name() noexcept {
  if (is_loaded(kLookedFor) || !is_loaded(kInstalled)) {
    return false;
  }
  const WithoutCancellation uncancelled;
  const int file = memfd_create(kLookedFor, MFD_CLOEXEC);
  if (file < 0) {
    return false;
  }
  bool cured = false;
  if (is_filled(file)) {
    // The loader gives an object to whoever spells its name in the same way, so this is a way in
    // which no program spells the name of a descriptor of its own.
    char path[64];
    snprintf(path, sizeof(path), "/proc/self/fd/../fd/.././fd/%d", file);
    // Never closed: libomptarget finds it by its soname whenever it looks.
    cured = dlopen(path, RTLD_LAZY) != nullptr;
  }
  close(file);
  return cured;
}

spool::Reach find_reach(const void* inside_runtime) noexcept {
  if (!offload_runtime_is_loaded()) {
    return spool::Reach::kUnknown;
  }
  void* handle = loaded(kLookedFor);
  if (handle == nullptr) {
    return spool::Reach::kUnreachable;
  }
  Dl_info ours{};
  Dl_info theirs{};
  const void* connect = dlsym(handle, "ompt_libomp_connect");
  const bool other = connect != nullptr && dladdr(connect, &theirs) != 0 &&
                     dladdr(inside_runtime, &ours) != 0 && ours.dli_fbase != theirs.dli_fbase;
  dlclose(handle);
  return other ? spool::Reach::kOtherRuntime : spool::Reach::kOk;
}

void warn_of_reach(spool::Reach reach) noexcept {
  if (reach == spool::Reach::kUnreachable) {
    // Under `ompdm record` this is how the user wanted it attached.
    say("no target event can come: libomptarget cannot open libomp.so: set LD_LIBRARY_PATH=%s%s",
        runtime_folder(),
        recorder.config.session != nullptr ? ", or attach by preload" : ", or use `ompdm record`");
  } else if (reach == spool::Reach::kOtherRuntime) {
    say("no target event can come: libomptarget uses another copy of libomp.so than the program: "
        "set LD_LIBRARY_PATH=%s",
        runtime_folder());
  }
}

bool offload_can_reach() noexcept { return is_loaded(kLookedFor); }

void note_runtime_library() noexcept {
  spool::FileHeader& draft = recorder.draft;
  const char* path = nullptr;
  if (draft.runtime_library[0] == '\0') {
    walk_objects(find_offload_runtime, static_cast<void*>(&path));
  }
  if (path == nullptr) {
    return;
  }
  strncpy(draft.runtime_library, path, sizeof(draft.runtime_library) - 1);
  spool::FileHeader* header = recorder.header.load();
  if (header != &draft) {
    memcpy(header->runtime_library, draft.runtime_library, sizeof(draft.runtime_library));
  }
}

const char* runtime_folder() noexcept {
  if (folder[0] == '\0') {
    walk_objects(find_runtime, nullptr);
  }
  return folder;
}

}  // namespace ompdm::record
