// The table of the modules that are open. It moves when it grows; a place is used again when its
// module was closed. Everything here needs the recorder's mutex.
#pragma once

#include <cstdint>

#include "record/modules/identity.h"
#include "spool_format/format.h"

namespace ompdm::record {

struct LoadedModule {
  spool::ModuleId id;  ///< none: the place is free
  bool seen;           ///< by the scan that runs
  bool offloads;       ///< refers to `__tgt_*`, so it may have an entry table
  bool waits;          ///< to be patched once the loader is done with it
  bool unpatched;      ///< counted as such
  bool entries_written;
  std::uint64_t bias;
  std::uint64_t begin;
  std::uint64_t end;
  std::uint64_t unwind_tables;  ///< .eh_frame_hdr in memory; 0: none
  Identity identity;
  char path[768];
};

struct ModuleTable {
  LoadedModule* places = nullptr;
  std::uint32_t used = 0;  ///< no module lies behind these
  std::uint32_t capacity = 0;
  spool::ModuleId last_id = spool::ModuleId::kNone;
  bool full = false;      ///< no memory for more: counted once
  bool scanning = false;  ///< it changes now: a fork's child cannot believe it

  [[nodiscard]] LoadedModule* begin() const noexcept { return places; }
  [[nodiscard]] LoadedModule* end() const noexcept { return places + used; }
};

extern ModuleTable module_table;

/// A place with the next id and nothing else in it; null if there is no memory, which is counted.
LoadedModule* new_module() noexcept;

/// The module that holds the address, or has the id; null if none does.
LoadedModule* module_at(std::uint64_t address) noexcept;
LoadedModule* module_of_id(spool::ModuleId id) noexcept;

}  // namespace ompdm::record
