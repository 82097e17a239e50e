#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <initializer_list>

#include "record/attach.h"
#include "record/entry_points.h"
#include "record/loaded_objects.h"
#include "record/modules.h"
#include "record/recorder.h"
#include "spool_format/without_signal.h"

namespace ompdm::record {

// The bytes of an empty shared library with the soname "libomp.so" that needs "libomp.so.5", made
// at build time (CMakeLists.txt).
extern const unsigned char kStandIn[];
extern const std::size_t kStandInSize;

namespace {

constexpr const char* kStartTool = "ompt_start_tool";

// Whether the object exports a function of that name. It is looked up in the GNU hash table
// (DT_GNU_HASH, read as in glibc's elf/dl-lookup.c), which every linker writes by default.
bool defines(const dl_phdr_info& info, const char* name) noexcept {
  Dynamic dynamic;
  if (!read_dynamic(info, dynamic) || dynamic.gnu_hash == nullptr) {
    return false;
  }
  const std::uint32_t bucket_count = dynamic.gnu_hash[0];
  const std::uint32_t first_symbol = dynamic.gnu_hash[1];
  const std::uint32_t filter_words = dynamic.gnu_hash[2];
  const std::uint32_t* buckets = dynamic.gnu_hash + 4 + std::size_t{filter_words} * 2;
  const std::uint32_t* chains = buckets + bucket_count;
  std::uint32_t hash = 5381;
  for (const char* at = name; *at != '\0'; ++at) {
    hash = hash * 33 + static_cast<unsigned char>(*at);
  }
  std::uint32_t symbol = bucket_count != 0 ? buckets[hash % bucket_count] : 0;
  if (symbol < first_symbol) {
    return false;
  }
  for (bool last = false; !last; ++symbol) {
    const std::uint32_t other = chains[symbol - first_symbol];
    if ((other | 1U) == (hash | 1U) && dynamic.symbols[symbol].st_shndx != SHN_UNDEF &&
        strcmp(dynamic.strings + dynamic.symbols[symbol].st_name, name) == 0) {
      return true;
    }
    last = (other & 1U) != 0;
  }
  return false;
}

// Whether the object is this library, or a copy of any version: nothing else exports these
// functions.
bool is_recorder(const dl_phdr_info& info) noexcept {
  return segment_of(info, reinterpret_cast<std::uint64_t>(&is_recorder), 1, 0) != nullptr ||
         (defines(info, "__tgt_register_lib") && defines(info, "InitializeInjection"));
}

char found[1024];

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

// The folder of the loaded OpenMP runtime, for advice; empty if unknown.
const char* runtime_folder() noexcept {
  static char folder[1024];
  walk_objects([](const dl_phdr_info& info) {
    const char* slash = strrchr(info.dlpi_name, '/');
    const bool is_found =
        slash != nullptr && strncmp(slash + 1, kLookedFor, strlen(kLookedFor)) == 0;
    if (is_found) {
      snprintf(folder, sizeof(folder), "%.*s", static_cast<int>(slash - info.dlpi_name),
               info.dlpi_name);
    }
    return is_found;
  });
  return folder;
}

}  // namespace

const char* other_tool() noexcept {
  static bool searched = false;
  if (!searched) {
    searched = true;
    walk_objects([](const dl_phdr_info& info) {
      // The runtime's own function looks for the tools of others.
      if (!defines(info, kStartTool) || is_recorder(info) || defines(info, "__kmpc_fork_call")) {
        return false;
      }
      copy_path(info, found, sizeof(found));
      if (found[0] == '\0') {
        memcpy(found, "the program", sizeof("the program"));
      }
      return true;
    });
  }
  return found[0] != '\0' ? found : nullptr;
}

ompt_start_tool_result_t* start_other_tool(unsigned omp_version,
                                           const char* runtime_version) noexcept {
  using StartTool = ompt_start_tool_result_t*(unsigned, const char*);
  // Where that is the runtime's own, it asks those behind itself.
  auto* next = reinterpret_cast<StartTool*>(dlsym(RTLD_NEXT, kStartTool));
  return next != nullptr ? next(omp_version, runtime_version) : nullptr;
}

void report_other_tool() noexcept {
  static bool reported = false;
  if (!reported && other_tool() != nullptr) {
    reported = true;
    remember_stderr();
    say("%s has an OMPT tool of its own (ompt_start_tool), which takes the recorder's place: "
        "nothing "
        "is recorded",
        found);
  }
}

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
  const spool::WithoutSignal guard(SIGXFSZ);
  if (write(file, kStandIn, kStandInSize) == static_cast<ssize_t>(kStandInSize)) {
    // The loader finds an object again by the same spelling of its path. No program spells the path
    // of a descriptor of its own like this.
    char path[64];
    snprintf(path, sizeof(path), "/proc/self/fd/../fd/.././fd/%d", file);
    // Never closed: libomptarget finds it by its soname whenever it looks.
    cured = dlopen(path, RTLD_LAZY) != nullptr;
  }
  close(file);
  return cured;
}

spool::Reach find_delivery(const void* inside_runtime) noexcept {
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

void warn_of_delivery(spool::Reach reach) noexcept {
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

bool libomp_name_is_loaded() noexcept { return is_loaded(kLookedFor); }

void note_runtime_library() noexcept {
  spool::FileHeader& draft = recorder.draft;
  if (draft.runtime_library[0] == '\0') {
    const OffloadRuntime runtime = find_offload_runtime();
    for (spool::FileHeader* header : {&draft, recorder.header.load()}) {
      memcpy(header->runtime_library, runtime.path,
             strnlen(runtime.path, sizeof(header->runtime_library) - 1));
    }
  }
}

}  // namespace ompdm::record
