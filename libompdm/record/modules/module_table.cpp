#include "record/modules/module_table.h"

#include <string.h>
#include <sys/mman.h>

#include "record/process/recorder.h"

namespace ompdm::record {

ModuleTable module_table;

namespace {

bool make_room() noexcept {
  constexpr std::uint32_t kFirst = 64;
  const std::uint32_t capacity = module_table.capacity == 0 ? kFirst : 2 * module_table.capacity;
  void* memory = mmap(nullptr, capacity * sizeof(LoadedModule), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    if (!module_table.full) {
      count_loss(spool::Loss::kModulesUnpatched);
    }
    module_table.full = true;
    return false;
  }
  if (module_table.places != nullptr) {
    memcpy(memory, module_table.places, module_table.used * sizeof(LoadedModule));
    munmap(module_table.places, module_table.capacity * sizeof(LoadedModule));
  }
  module_table.places = static_cast<LoadedModule*>(memory);
  module_table.capacity = capacity;
  return true;
}

LoadedModule* free_place() noexcept {
  for (LoadedModule& module : module_table) {
    if (module.id == spool::ModuleId::kNone) {
      return &module;
    }
  }
  return module_table.used < module_table.capacity || make_room()
             ? &module_table.places[module_table.used++]
             : nullptr;
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

}  // namespace ompdm::record
