#include "record/modules.h"

#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "record/entry_points.h"
#include "record/recorder.h"

namespace ompdm::record {

ModuleTable module_table{};

namespace {

LoadedModule* free_place() noexcept {
  for (LoadedModule& module : module_table) {
    if (module.id == spool::ModuleId::kNone) {
      return &module;
    }
  }
  LoadedModule* added = module_table.add();
  if (added == nullptr && !module_table.full) {
    module_table.full = true;
    count_loss(spool::Loss::kModulesUnpatched);
  }
  return added;
}

// The loader's counters at the last scan, and the state of patching then. Read without the mutex,
// to see that there is nothing to do.
std::atomic<std::uint64_t> loads_seen{0};
std::atomic<std::uint64_t> closes_seen{0};
std::atomic<bool> scanned{false};
std::atomic<bool> could_patch{false};
std::atomic<bool> some_wait{false};

int compare_counters(dl_phdr_info* info, std::size_t /*size*/, void* data) noexcept {
  *static_cast<bool*>(data) = info->dlpi_adds == loads_seen.load(std::memory_order_relaxed) &&
                              info->dlpi_subs == closes_seen.load(std::memory_order_relaxed);
  return 1;
}

// Whether nothing was loaded or closed since the last scan, and patching has not become possible.
bool up_to_date() noexcept {
  bool same = false;
  if (scanned.load(std::memory_order_relaxed) &&
      could_patch.load(std::memory_order_relaxed) == can_patch()) {
    walk_objects(compare_counters, &same);
  }
  return same;
}

struct Range {
  std::uint64_t begin;
  std::uint64_t end;
};

Range range_of(const dl_phdr_info& info) noexcept {
  Range range{~std::uint64_t{0}, 0};
  for (unsigned i = 0; i < info.dlpi_phnum; ++i) {
    const auto& header = info.dlpi_phdr[i];
    const std::uint64_t begin = info.dlpi_addr + header.p_vaddr;
    if (header.p_type == PT_LOAD) {
      range.begin = begin < range.begin ? begin : range.begin;
      range.end = begin + header.p_memsz > range.end ? begin + header.p_memsz : range.end;
    }
  }
  return range;
}

std::uint64_t unwind_tables_in(const dl_phdr_info& info) noexcept {
  for (unsigned i = 0; i < info.dlpi_phnum; ++i) {
    const auto& header = info.dlpi_phdr[i];
    if (header.p_type == PT_GNU_EH_FRAME) {
      return info.dlpi_addr + header.p_vaddr;
    }
  }
  return 0;
}

LoadedModule* add_module(const dl_phdr_info& info, const Range& range,
                         const Identity& identity) noexcept {
  LoadedModule* module = new_module();
  if (module == nullptr) {
    return nullptr;
  }
  module->bias = info.dlpi_addr;
  module->begin = range.begin;
  module->end = range.end;
  module->unwind_tables = unwind_tables_in(info);
  module->identity = identity;
  module->offloads = calls_offload_runtime(info);
  if (info.dlpi_name != nullptr && info.dlpi_name[0] != '\0') {
    strncpy(module->path, info.dlpi_name, sizeof(module->path) - 1);
  } else {
    const ssize_t size = readlink("/proc/self/exe", module->path, sizeof(module->path) - 1);
    module->path[size > 0 ? size : 0] = '\0';
  }
  return module;
}

void count_unpatched(LoadedModule& module) noexcept {
  if (!module.unpatched) {
    module.unpatched = true;
    count_loss(spool::Loss::kModulesUnpatched);
  }
}

void patch(LoadedModule& module, const dl_phdr_info& info) noexcept {
  const Patched patched = patch_module(info);
  module.waits = patched == Patched::kNotYet && !module.unpatched;
  if (patched == Patched::kNotAll) {
    count_unpatched(module);
  }
}

struct Scan {
  bool begun;
  std::uint64_t loads;  ///< the loader's counters, the same for all objects of one walk
  std::uint64_t closes;
  bool some_closed;    ///< another library may lie in the place of one that is known
  std::uint32_t next;  ///< place of the object that the loader's list most likely has next
};

LoadedModule* find_place(Scan& scan, const dl_phdr_info& info, const Range& range,
                         const Identity& identity) noexcept {
  for (std::uint32_t i = 0; i < module_table.used; ++i) {
    LoadedModule& module = module_table.places[(scan.next + i) % module_table.used];
    if (module.id != spool::ModuleId::kNone && !module.seen && module.begin == range.begin &&
        module.end == range.end && module.bias == info.dlpi_addr &&
        (!scan.some_closed || module.identity == identity)) {
      return &module;
    }
  }
  return nullptr;
}

int visit(dl_phdr_info* info, std::size_t /*size*/, void* data) noexcept {
  Scan& scan = *static_cast<Scan*>(data);
  if (!scan.begun) {
    scan.begun = true;
    scan.loads = info->dlpi_adds;
    scan.closes = info->dlpi_subs;
    scan.some_closed = !scanned || scan.closes != closes_seen;
  }
  const Range range = range_of(*info);
  const Identity identity = scan.some_closed ? identity_of(*info) : Identity{};
  LoadedModule* module = find_place(scan, *info, range, identity);
  if (module == nullptr) {
    module = add_module(*info, range, scan.some_closed ? identity : identity_of(*info));
  }
  if (module == nullptr) {
    return 0;
  }
  module->seen = true;
  scan.next = static_cast<std::uint32_t>(module - module_table.places) + 1;
  if (module->offloads && can_patch()) {
    patch(*module, *info);
  }
  return 0;
}

// Whether the module still lies there. Does not need the loader's lock.
bool is_there(const LoadedModule& module, std::uint64_t address) noexcept {
  FoundObject found{};
  ElfW(Ehdr) elf;
  if (!find_object(address, found) || *found.link_map != module.bias ||
      found.end - found.begin < static_cast<std::ptrdiff_t>(sizeof(elf)) ||
      memcmp(found.begin, ELFMAG, SELFMAG) != 0) {
    return false;
  }
  memcpy(&elf, found.begin, sizeof(elf));
  dl_phdr_info info{};
  info.dlpi_addr = module.bias;
  info.dlpi_phdr = reinterpret_cast<const ElfW(Phdr)*>(found.begin + elf.e_phoff);
  info.dlpi_phnum = elf.e_phnum;
  return module.identity.known() && identity_of(info) == module.identity;
}

void scan_locked() noexcept {
  if (!can_walk_objects()) {
    return;
  }
  Scan scan{};
  module_table.scanning = true;
  const bool patches = can_patch();
  walk_objects(visit, &scan);
  bool wait = false;
  bool offloading_closed = false;
  for (LoadedModule& module : module_table) {
    if (module.id != spool::ModuleId::kNone && !module.seen) {
      offloading_closed = offloading_closed || module.offloads;
      module.id = spool::ModuleId::kNone;
    }
    module.seen = false;
    wait = wait || (module.id != spool::ModuleId::kNone && module.waits);
  }
  if (offloading_closed) {
    generation_of_modules.fetch_add(1, std::memory_order_relaxed);
  }
  // Last: other threads see by these that the scan is done.
  some_wait = wait;
  could_patch = patches;
  loads_seen = scan.loads;
  closes_seen = scan.closes;
  scanned = true;
  module_table.scanning = false;
}

}  // namespace

LoadedModule* new_module() noexcept {
  LoadedModule* module = free_place();
  if (module != nullptr) {
    *module = {};
    module->id = spool::give_next(module_table.last_id);
  }
  return module;
}

LoadedModule* module_at(std::uint64_t address) noexcept {
  for (LoadedModule& module : module_table) {
    if (module.id != spool::ModuleId::kNone && address >= module.begin && address < module.end) {
      return &module;
    }
  }
  return nullptr;
}

LoadedModule* module_of_id(spool::ModuleId id) noexcept {
  for (LoadedModule& module : module_table) {
    if (module.id == id) {
      return &module;
    }
  }
  return nullptr;
}

std::atomic<std::uint32_t> generation_of_modules{0};

void scan_modules() noexcept {
  if (!some_wait.load(std::memory_order_relaxed) && up_to_date()) {
    return;
  }
  const Lock lock;
  scan_locked();
}

spool::ModuleId find_module(std::uint64_t address) noexcept {
  const Lock lock;
  // Another library may have been loaded into the range of a closed one since.
  LoadedModule* module = module_at(address);
  if (module == nullptr || some_wait || !is_there(*module, address)) {
    if (some_wait || !up_to_date()) {
      scan_locked();
    }
    module = module_at(address);
  }
  if (module != nullptr && module->waits) {
    // Its code runs, so the loader is done with it: slots not patched by now never will be.
    module->waits = false;
    count_unpatched(*module);
  }
  return module != nullptr ? module->id : spool::ModuleId::kNone;
}

spool::ModuleId known_module(std::uint64_t address) noexcept {
  const Lock lock;
  const LoadedModule* module = module_at(address);
  return module != nullptr ? module->id : spool::ModuleId::kNone;
}

UnwindTables unwind_tables_of(std::uint64_t address) noexcept {
  const Lock lock;
  const LoadedModule* module = module_at(address);
  return module != nullptr ? UnwindTables{module->unwind_tables, module->begin, module->end}
                           : UnwindTables{};
}

void revise_modules_after_fork() noexcept {
  distrust_object_list();
  if (module_table.scanning) {
    module_table = {};
    scanned = false;
  }
  for (LoadedModule& module : module_table) {
    module.entries_written = false;
  }
}

}  // namespace ompdm::record
