// The table of loaded modules, and the patching of their calls. A scan takes the recorder's mutex
// and the loader's list lock, never the lock that dlopen holds over constructors.
//
// The runtime's entry points are interposed by the Global Offset Tables of the modules that call
// them, so that names, lines and kernel arguments come from the runtime's own arguments. A library
// that cannot be patched only loses names.
#pragma once

#include <link.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "record/loaded_objects.h"
#include "record/recorder.h"
#include "spool_format/format.h"

namespace ompdm::record {

/// A loaded object.
struct LoadedModule {
  spool::ModuleId id;  ///< kNone: the place is free
  bool seen;           ///< by the current scan
  bool offloads;       ///< refers to `__tgt_*`, so it may have an entry table
  bool waits;          ///< has slots to patch once the loader is done with it
  bool unpatched;      ///< counted in Loss::kModulesUnpatched
  bool entries_written;
  std::uint64_t bias;
  AddressRange range;
  std::uint64_t unwind_tables;  ///< .eh_frame_hdr in memory; 0: none
  Identity identity;
  char path[768];
};

/// The open modules. The table moves when it grows, and a closed module's place is used again.
/// Access needs the recorder's mutex.
struct ModuleTable : MappedArray<LoadedModule> {
  spool::ModuleId last_id = spool::ModuleId::kNone;
  bool full = false;      ///< no memory for more
  bool scanning = false;  ///< a scan is changing it: unusable for a fork's child
};

extern ModuleTable module_table;

/// The module that has the id; null if none does.
LoadedModule* module_of_id(spool::ModuleId id) noexcept;

extern std::atomic<std::uint32_t> generation_of_modules;

/// Changes when a scan finds that a module with target regions was closed. Its addresses may be
/// another module's from then on, so tables by address (sites, texts) become invalid.
inline std::uint32_t modules_generation() noexcept {
  return generation_of_modules.load(std::memory_order_relaxed);
}

/// Scans the loaded objects: adds new ones, drops closed ones, and patches the slots of `__tgt_*`
/// functions. Slots that the loader was not done with are tried again. Cheap when there is nothing
/// to do, since the loader counts loads and closes.
void scan_modules() noexcept;

/// The module that holds `address`; scans if anything was loaded or closed since the last scan.
spool::ModuleId find_module(std::uint64_t address) noexcept;

/// The module that holds `address` as of the last scan.
spool::ModuleId known_module(std::uint64_t address) noexcept;

/// The place of an object's .eh_frame tables.
struct UnwindTables {
  const std::byte* header;  ///< .eh_frame_hdr; null: none
  const std::byte* begin;   ///< of the object
  const std::byte* end;
};

/// The tables of the object that holds `address`, as of the last scan where glibc has no
/// _dl_find_object.
UnwindTables unwind_tables_of(std::uint64_t address) noexcept;

/// Called in a fork's child. Its spool needs the offload entries again, and a scan of another
/// thread was left half done.
void revise_modules_after_fork() noexcept;

/// The parts of a module's dynamic section that relocations and symbol look-ups need.
struct Dynamic {
  const ElfW(Sym) * symbols = nullptr;
  const char* strings = nullptr;
  std::span<const ElfW(Rela)> relocations[2];  ///< for calls by PLT, and the others
  const std::uint32_t* gnu_hash = nullptr;
};

/// Reads the dynamic section. False where the loader does not relocate its pointers (the vdso).
bool read_dynamic(const dl_phdr_info& info, Dynamic& dynamic) noexcept;

/// Whether the module calls functions of the offload runtime.
bool calls_offload_runtime(const dl_phdr_info& info) noexcept;

/// What patch_module() did.
enum class Patched {
  kAll,     ///< every call goes through a wrapper
  kNotYet,  ///< the loader has not relocated the module yet: try again
  kNotAll,  ///< a page could not be made writable, or a slot holds another function
};

/// Points the module's slots of the known entry points at the wrappers. A slot is written only
/// while it holds the runtime's entry point, or the loader's stub for lazy binding. So a second
/// call does no harm. Needs the recorder's mutex: two scans must not re-protect a page under each
/// other. Needs the loader's list lock, so that the module stays loaded.
Patched patch_module(const dl_phdr_info& info) noexcept;

/// Leads a module's calls of a function to another one. False where it has none, or they cannot be
/// changed.
bool lead_calls(const dl_phdr_info& info, const char* name, void (*function)()) noexcept;

}  // namespace ompdm::record
