// Interposing the runtime's entry points by the Global Offset Table of the modules that call
// them, so that names, lines and kernel arguments come from the runtime's own arguments. A
// library that cannot be patched only loses names.
#pragma once

#include <link.h>

#include <cstddef>
#include <cstdint>

namespace ompdm::record {

/// The parts of a module's dynamic section that relocations and symbol look-ups need.
struct Dynamic {
  const ElfW(Sym) * symbols = nullptr;
  const char* strings = nullptr;
  const ElfW(Rela) * plt = nullptr;
  std::size_t plt_count = 0;
  const ElfW(Rela) * data = nullptr;
  std::size_t data_count = 0;
  const std::uint32_t* gnu_hash = nullptr;
};

/// Reads the dynamic section. False where the loader does not relocate its pointers (the vdso).
bool read_dynamic(const dl_phdr_info& info, Dynamic& dynamic) noexcept;

/// Whether the module calls functions of the offload runtime.
bool calls_offload_runtime(const dl_phdr_info& info) noexcept;

/// Whether the entry points are known and OMPDM_NAMES is on.
bool can_patch() noexcept;

/// What patch_module() did.
enum class Patched {
  kAll,     ///< every call goes through a wrapper
  kNotYet,  ///< the loader has not relocated the module yet: try again
  kNotAll,  ///< a page could not be made writable, or a slot holds another function
};

/// Points the module's slots of the known entry points at the wrappers. A slot is written only
/// while it holds the runtime's entry point, or the loader's stub for lazy binding, so a second
/// call does no harm. Needs the recorder's mutex, so that two scans cannot re-protect a page under
/// each other, and the loader's list lock, so that the module stays.
Patched patch_module(const dl_phdr_info& info) noexcept;

}  // namespace ompdm::record
