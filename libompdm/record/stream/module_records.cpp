#include "record/stream/module_records.h"

#include <string.h>

#include "record/modules/module_table.h"
#include "record/process/recorder.h"
#include "record/stream/offload_entries.h"
#include "spool_format/definitions.h"

namespace ompdm::record {

void write_module(Lane& lane, spool::ModuleId id) noexcept {
  spool::ModuleId& written = lane.modules_written[number(id) % Lane::kModules];
  if (written == id) {
    return;
  }
  LoadedModule module{};
  {
    const Lock lock;
    if (const LoadedModule* found = module_of_id(id)) {
      module = *found;
    }
  }
  if (module.id == spool::ModuleId::kNone) {
    return;  // closed in this moment
  }
  const std::size_t path_size = strlen(module.path) + 1;
  const std::size_t extra = module.identity.build_id_size + path_size;
  auto* record = reserve<spool::Module>(lane, extra);
  if (record == nullptr) {
    return;
  }
  record->id = id;
  record->bias = module.bias;
  record->begin = module.begin;
  record->end = module.end;
  record->build_id_size = module.identity.build_id_size;
  record->path_size = static_cast<std::uint32_t>(path_size);
  auto* at = reinterpret_cast<char*>(record + 1);
  memcpy(at, module.identity.build_id, module.identity.build_id_size);
  memcpy(at + module.identity.build_id_size, module.path, path_size);
  commit(lane, record, spool::Tag::kModule, 0, extra);
  written = id;
}

namespace {

// The open module with the least id above `after` whose entries are not written, marked as if they
// were; false if there is none.
[[gnu::noinline]] bool take_next(spool::ModuleId after, LoadedModule& taken) noexcept {
  const Lock lock;
  LoadedModule* next = nullptr;
  for (LoadedModule& module : module_table) {
    if (module.id > after && module.offloads && !module.entries_written &&
        (next == nullptr || module.id < next->id)) {
      next = &module;
    }
  }
  if (next != nullptr) {
    next->entries_written = true;
    taken = *next;
  }
  return next != nullptr;
}

void give_back(spool::ModuleId id) noexcept {
  const Lock lock;
  if (LoadedModule* module = module_of_id(id)) {
    module->entries_written = false;
  }
}

}  // namespace

void write_offload_entries(Lane& lane) noexcept {
  LoadedModule module{};
  while (take_next(module.id, module)) {
    write_module(lane, module.id);
    if (!write_entries_of(lane, module.id, {module.path, module.bias, module.identity})) {
      give_back(module.id);
    }
  }
}

}  // namespace ompdm::record
