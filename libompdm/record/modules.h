// The table of loaded modules: where they lie, which files they are, whether their calls are
// patched. A scan takes the recorder's mutex and the loader's list lock, never the lock that
// dlopen holds over constructors.
#pragma once

#include <atomic>
#include <cstdint>

#include "record/loaded_objects.h"
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

extern std::atomic<std::uint32_t> generation_of_modules;

/// Changes when a scan has found that a module was closed which could offload: from then on its
/// addresses may be another module's, and what was kept by them (sites, texts) is void.
inline std::uint32_t modules_generation() noexcept {
  return generation_of_modules.load(std::memory_order_relaxed);
}

/// Looks at all loaded objects: notes new ones, drops closed ones, patches `__tgt_*` slots where
/// names are wanted, and tries again where the loader was not done the last time. Cheap when there
/// is nothing to do (the loader counts what it loads and closes).
void scan_modules() noexcept;

/// The module that holds `address`, scanning if anything was loaded or closed; none if none does.
spool::ModuleId find_module(std::uint64_t address) noexcept;

/// The same among the modules that the last scan found, without another one: for the addresses that
/// follow one another, as those of a call chain do.
spool::ModuleId known_module(std::uint64_t address) noexcept;

/// Where a module's tables of call frames are.
struct UnwindTables {
  std::uint64_t header;  ///< .eh_frame_hdr; 0: none
  std::uint64_t begin;   ///< of the module
  std::uint64_t end;
};

/// Of the module that holds `address`, among those that the last scan found.
UnwindTables unwind_tables_of(std::uint64_t address) noexcept;

/// In a fork's child: its own spool needs the offload entries again, and what another thread was
/// doing to the modules, or to the loader's list, was left half done.
void revise_modules_after_fork() noexcept;

}  // namespace ompdm::record
