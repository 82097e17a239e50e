#include "record/modules/modules.h"

#include <link.h>
#include <string.h>
#include <unistd.h>

#include "record/modules/offload_entries.h"
#include "record/modules/patch.h"
#include "record/stream/sites.h"

namespace ompdm::record {

std::atomic<std::uint32_t> generation_of_modules{0};

namespace {

struct LoadedModule {
  std::uint64_t bias;
  std::uint64_t begin;
  std::uint64_t end;
  std::uint32_t build_id_size;
  unsigned char build_id[32];
  char path[768];
  bool closed;
  bool offloads;  ///< calls `__tgt_*`, so it may have an entry table
  bool patched;
  bool entries_written;
};

// Entries are only ever added or marked closed, so that an id stays good without the mutex.
LoadedModule modules[Lane::kMostModules];
std::uint32_t module_count = 0;
std::uint64_t loads_seen = 0;
std::uint64_t closes_seen = 0;
bool scanned = false;
bool could_patch = false;

struct Scan {
  bool seen[Lane::kMostModules];
  bool unchanged;
  bool
      some_closed;  ///< a library may have been opened again at its old place, with slots unpatched
};

void read_build_id(LoadedModule& module, const dl_phdr_info& info,
                   const ElfW(Phdr) & header) noexcept {
  const auto* at = reinterpret_cast<const unsigned char*>(info.dlpi_addr + header.p_vaddr);
  const unsigned char* end = at + header.p_memsz;
  while (at + sizeof(ElfW(Nhdr)) <= end) {
    ElfW(Nhdr) note;
    memcpy(&note, at, sizeof(note));
    const unsigned char* name = at + sizeof(note);
    const unsigned char* value = name + ((note.n_namesz + 3U) & ~3U);
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(name, "GNU", 4) == 0 &&
        note.n_descsz <= sizeof(module.build_id) && value + note.n_descsz <= end) {
      memcpy(module.build_id, value, note.n_descsz);
      module.build_id_size = note.n_descsz;
      return;
    }
    at = value + ((note.n_descsz + 3U) & ~3U);
  }
}

LoadedModule describe(const dl_phdr_info& info) noexcept {
  LoadedModule module{};
  module.bias = info.dlpi_addr;
  module.begin = ~std::uint64_t{0};
  for (unsigned i = 0; i < info.dlpi_phnum; ++i) {
    const auto& header = info.dlpi_phdr[i];
    const std::uint64_t begin = info.dlpi_addr + header.p_vaddr;
    if (header.p_type == PT_LOAD) {
      module.begin = begin < module.begin ? begin : module.begin;
      module.end = begin + header.p_memsz > module.end ? begin + header.p_memsz : module.end;
    } else if (header.p_type == PT_NOTE && module.build_id_size == 0) {
      read_build_id(module, info, header);
    }
  }
  if (info.dlpi_name != nullptr && info.dlpi_name[0] != '\0') {
    strncpy(module.path, info.dlpi_name, sizeof(module.path) - 1);
  } else {
    const ssize_t size = readlink("/proc/self/exe", module.path, sizeof(module.path) - 1);
    module.path[size > 0 ? size : 0] = '\0';
  }
  return module;
}

int visit(dl_phdr_info* info, std::size_t size, void* data) noexcept {
  Scan& scan = *static_cast<Scan*>(data);
  if (size >= offsetof(dl_phdr_info, dlpi_subs) + sizeof(info->dlpi_subs)) {
    if (scanned && info->dlpi_adds == loads_seen && info->dlpi_subs == closes_seen &&
        could_patch == can_patch()) {
      scan.unchanged = true;
      return 1;
    }
    scan.some_closed = scan.some_closed || info->dlpi_subs != closes_seen;
    loads_seen = info->dlpi_adds;
    closes_seen = info->dlpi_subs;
    // Only the first object of the walk is compared: the counters are the same for all.
    scanned = false;
    could_patch = can_patch();
  }
  const LoadedModule found = describe(*info);
  std::uint32_t index = 0;
  while (index < module_count &&
         (modules[index].closed || modules[index].begin != found.begin ||
          modules[index].end != found.end || modules[index].bias != found.bias ||
          memcmp(modules[index].build_id, found.build_id, sizeof(found.build_id)) != 0)) {
    ++index;
  }
  if (index == module_count) {
    if (module_count == Lane::kMostModules) {
      count_loss(spool::Loss::kModulesUnpatched);
      return 0;
    }
    modules[index] = found;
    modules[index].offloads = calls_offload_runtime(*info);
    __atomic_store_n(&module_count, index + 1, __ATOMIC_RELEASE);
  }
  LoadedModule& module = modules[index];
  if (module.offloads && (!module.patched || scan.some_closed) && can_patch()) {
    module.patched = true;
    if (!patch_module(*info)) {
      count_loss(spool::Loss::kModulesUnpatched);
    }
  }
  scan.seen[index] = true;
  return 0;
}

void scan_locked() noexcept {
  static Scan scan;
  scan = {};
  dl_iterate_phdr(visit, &scan);
  if (scan.unchanged) {
    return;
  }
  scanned = true;
  bool offloading_closed = false;
  for (std::uint32_t i = 0; i < module_count; ++i) {
    offloading_closed =
        offloading_closed || (modules[i].offloads && !modules[i].closed && !scan.seen[i]);
    modules[i].closed = !scan.seen[i];
  }
  if (offloading_closed) {
    generation_of_modules.fetch_add(1, std::memory_order_relaxed);
  }
}

std::uint32_t known_module_locked(std::uint64_t address) noexcept {
  for (std::uint32_t i = module_count; i > 0; --i) {
    const LoadedModule& module = modules[i - 1];
    if (!module.closed && address >= module.begin && address < module.end) {
      return i;
    }
  }
  return 0;
}

int is_offload_runtime(dl_phdr_info* info, std::size_t /*size*/, void* data) noexcept {
  const char* slash = strrchr(info->dlpi_name, '/');
  const char* name = slash != nullptr ? slash + 1 : info->dlpi_name;
  if (strncmp(name, "libomptarget.so", 15) == 0) {
    *static_cast<bool*>(data) = true;
    return 1;
  }
  return 0;
}

}  // namespace

void scan_modules() noexcept {
  const Lock lock;
  scan_locked();
}

std::uint32_t find_module(std::uint64_t address) noexcept {
  const Lock lock;
  // A closed library's range may have been given to another one since: look before believing the
  // table.
  scan_locked();
  return known_module_locked(address);
}

std::uint32_t known_module(std::uint64_t address) noexcept {
  const Lock lock;
  return known_module_locked(address);
}

void write_module(Lane& lane, std::uint32_t id) noexcept {
  const std::uint32_t index = id - 1;
  std::uint64_t& word = lane.modules_written[index / 64];
  const std::uint64_t bit = std::uint64_t{1} << (index % 64);
  if ((word & bit) != 0) {
    return;
  }
  const LoadedModule& module = modules[index];
  const std::size_t path_size = strlen(module.path) + 1;
  const std::size_t extra = module.build_id_size + path_size;
  auto* record = reserve<spool::Module>(lane, extra);
  if (record == nullptr) {
    return;
  }
  record->id = id;
  record->bias = module.bias;
  record->begin = module.begin;
  record->end = module.end;
  record->build_id_size = module.build_id_size;
  record->path_size = static_cast<std::uint32_t>(path_size);
  auto* at = reinterpret_cast<char*>(record + 1);
  memcpy(at, module.build_id, module.build_id_size);
  memcpy(at + module.build_id_size, module.path, path_size);
  commit(lane, record, spool::Tag::kModule, 0, extra);
  word |= bit;
}

void write_offload_entries(Lane& lane) noexcept {
  const std::uint32_t count = __atomic_load_n(&module_count, __ATOMIC_ACQUIRE);
  for (std::uint32_t i = 0; i < count; ++i) {
    LoadedModule& module = modules[i];
    if (!module.offloads || module.closed ||
        __atomic_exchange_n(&module.entries_written, true, __ATOMIC_ACQ_REL)) {
      continue;
    }
    write_module(lane, i + 1);
    write_entries_of(lane, i + 1, module.path, module.bias);
  }
}

void forget_written_entries() noexcept {
  for (std::uint32_t i = 0; i < module_count; ++i) {
    modules[i].entries_written = false;
  }
}

bool offload_runtime_is_loaded() noexcept {
  bool loaded = false;
  dl_iterate_phdr(is_offload_runtime, &loaded);
  return loaded;
}

}  // namespace ompdm::record
