#include "record/modules.h"

#include <string.h>

#include "record/entry_points.h"

namespace ompdm::record {

ModuleTable module_table{};

namespace {

// A zeroed place with the next id; null (and a loss counted) if there is no memory.
LoadedModule* new_module() noexcept {
  LoadedModule* place = module_of_id(spool::ModuleId::kNone);  // a free one
  if (place == nullptr) {
    place = module_table.add();
  }
  if (place != nullptr) {
    *place = {};
    place->id = spool::give_next(module_table.last_id);
  } else if (!module_table.full) {
    module_table.full = true;
    count_loss(spool::Loss::kModulesUnpatched);
  }
  return place;
}

// The loader's counters at the last scan, and the state of patching then. Read without the mutex,
// to see that there is nothing to do.
std::atomic<std::uint64_t> loads_seen{0};
std::atomic<std::uint64_t> closes_seen{0};
std::atomic<bool> scanned{false};
std::atomic<bool> could_patch{false};
std::atomic<bool> some_wait{false};

// Whether nothing was loaded or closed since the last scan, and patching has not become possible.
bool up_to_date() noexcept {
  bool same = false;
  if (scanned.load(std::memory_order_relaxed) &&
      could_patch.load(std::memory_order_relaxed) == can_patch()) {
    walk_objects([&same](const dl_phdr_info& info) {
      same = info.dlpi_adds == loads_seen.load(std::memory_order_relaxed) &&
             info.dlpi_subs == closes_seen.load(std::memory_order_relaxed);
      return true;
    });
  }
  return same;
}

LoadedModule* add_module(const dl_phdr_info& info, const AddressRange& range,
                         const Identity& identity) noexcept {
  LoadedModule* module = new_module();
  if (module == nullptr) {
    return nullptr;
  }
  module->bias = info.dlpi_addr;
  module->range = range;
  for (const auto& header : headers_of(info)) {
    if (header.p_type == PT_GNU_EH_FRAME) {
      module->unwind_tables = info.dlpi_addr + header.p_vaddr;
    }
  }
  module->identity = identity;
  module->offloads = calls_offload_runtime(info);
  copy_path(info, module->path, sizeof(module->path));
  return module;
}

void count_unpatched(LoadedModule& module) noexcept {
  if (!module.unpatched) {
    module.unpatched = true;
    count_loss(spool::Loss::kModulesUnpatched);
  }
}

// What a scan sees of the loader.
struct Scan {
  bool begun;
  std::uint64_t loads;  ///< the loader's counters, the same for all objects of one walk
  std::uint64_t closes;
  bool some_closed;    ///< another library may lie in the place of one that is known
  std::uint32_t next;  ///< place of the object that the loader's list most likely has next
};

void scan_object(Scan& scan, const dl_phdr_info& info) noexcept {
  if (!scan.begun) {
    scan.begun = true;
    scan.loads = info.dlpi_adds;
    scan.closes = info.dlpi_subs;
    scan.some_closed = !scanned || scan.closes != closes_seen;
  }
  const AddressRange range = range_of(info);
  const Identity identity = scan.some_closed ? identity_of(info) : Identity{};
  LoadedModule* module = nullptr;
  for (std::uint32_t i = 0; module == nullptr && i < module_table.used; ++i) {
    LoadedModule& known = module_table.places[(scan.next + i) % module_table.used];
    if (known.id != spool::ModuleId::kNone && !known.seen && known.range == range &&
        known.bias == info.dlpi_addr && (!scan.some_closed || known.identity == identity)) {
      module = &known;
    }
  }
  if (module == nullptr) {
    module = add_module(info, range, scan.some_closed ? identity : identity_of(info));
  }
  if (module == nullptr) {
    return;
  }
  module->seen = true;
  scan.next = static_cast<std::uint32_t>(module - module_table.places) + 1;
  if (module->offloads && can_patch()) {
    const Patched patched = patch_module(info);
    module->waits = patched == Patched::kNotYet && !module->unpatched;
    if (patched == Patched::kNotAll) {
      count_unpatched(*module);
    }
  }
}

// The module that holds the address; null if none does.
LoadedModule* module_at(std::uint64_t address) noexcept {
  for (LoadedModule& module : module_table) {
    if (module.id != spool::ModuleId::kNone && module.range.holds(address)) {
      return &module;
    }
  }
  return nullptr;
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
  walk_objects([&scan](const dl_phdr_info& info) {
    scan_object(scan, info);
    return false;
  });
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
  if (FoundObject found{}; can_find_objects()) {
    return find_object(address, found) ? UnwindTables{found.eh_frame_hdr, found.begin, found.end}
                                       : UnwindTables{};
  }
  const Lock lock;
  const LoadedModule* module = module_at(address);
  const auto bytes = [](std::uint64_t at) { return reinterpret_cast<const std::byte*>(at); };
  return module != nullptr ? UnwindTables{bytes(module->unwind_tables), bytes(module->range.begin),
                                          bytes(module->range.end)}
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
