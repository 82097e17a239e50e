// Interposing the runtime's entry points by the Global Offset Table of the modules that call
// them, so that names, lines and kernel arguments come from the runtime's own arguments. A
// library that cannot be patched only loses names.
#pragma once

#include <elf.h>
#include <link.h>

#include <cstddef>
#include <cstdint>

namespace ompdm::record {

/// The parts of a module's dynamic section that relocations, and looking a name up, need.
struct Dynamic {
  const ElfW(Sym) * symbols = nullptr;
  const char* strings = nullptr;
  const ElfW(Rela) * plt = nullptr;
  std::size_t plt_count = 0;
  const ElfW(Rela) * data = nullptr;
  std::size_t data_count = 0;
  const std::uint32_t* gnu_hash = nullptr;
};

/// False where the loader leaves the section's pointers as they are in the file (the vdso).
bool read_dynamic(const dl_phdr_info& info, Dynamic& dynamic) noexcept;

/// How the loader fills a slot (the psABI names this differently on each machine).
enum class Filled : std::uint8_t {
  kNot,     ///< with something else than a function's address
  kCall,    ///< of calls: at once, or when the first is made
  kData,    ///< of addresses taken and of calls without PLT, at once
  kObject,  ///< an object of the program's own that was initialised with the address
};

struct Slot {
  std::uint64_t at;
  Filled filled;
  bool defined_here;  ///< the module has a function of this name itself
  const char* name;
};

inline Filled filled_by(std::uint64_t type) noexcept {
#if defined(__x86_64__)
  return type == R_X86_64_JUMP_SLOT  ? Filled::kCall
         : type == R_X86_64_GLOB_DAT ? Filled::kData
         : type == R_X86_64_64       ? Filled::kObject
                                     : Filled::kNot;
#elif defined(__aarch64__)
  return type == R_AARCH64_JUMP_SLOT  ? Filled::kCall
         : type == R_AARCH64_GLOB_DAT ? Filled::kData
         : type == R_AARCH64_ABS64    ? Filled::kObject
                                      : Filled::kNot;
#else
  return Filled::kNot;
#endif
}

/// Calls `visit` with each slot of a module that is filled with a function or an object by name.
template <class Visit>
void each_slot(const dl_phdr_info& info, const Dynamic& dynamic, Visit&& visit) noexcept {
  const auto walk = [&](const ElfW(Rela) * relocations, std::size_t count) {
    for (std::size_t i = 0; relocations != nullptr && i < count; ++i) {
      const Filled filled = filled_by(ELF64_R_TYPE(relocations[i].r_info));
      if (filled != Filled::kNot) {
        const ElfW(Sym)& symbol = dynamic.symbols[ELF64_R_SYM(relocations[i].r_info)];
        visit(Slot{info.dlpi_addr + relocations[i].r_offset, filled, symbol.st_shndx != SHN_UNDEF,
                   dynamic.strings + symbol.st_name});
      }
    }
  };
  walk(dynamic.plt, dynamic.plt_count);
  walk(dynamic.data, dynamic.data_count);
}

/// Whether a symbol may be one of the offload runtime's: `__tgt_*`, `omp_target_*`, and one more.
bool is_of_offload_runtime(const char* name) noexcept;

/// Whether the module refers to any such symbol.
bool calls_offload_runtime(const dl_phdr_info& info) noexcept;

/// Whether the entry points are known and names are wanted.
bool can_patch() noexcept;

enum class Patched {
  kAll,     ///< every call goes through a wrapper
  kNotYet,  ///< the loader is not done with the module, or with these slots: to be tried again
  kNotAll,  ///< a page could not be made writable, or another function is in a call's way
};

/// Points the module's slots of the known entry points at the wrappers. A slot is written only if
/// it holds the runtime's entry point, or what the loader leaves there until a call is made for the
/// first time; so it may be asked again at any time. Needs the recorder's mutex, so that two scans
/// cannot re-protect a page under each other, and the loader's list lock, so that the module stays.
Patched patch_module(const dl_phdr_info& info) noexcept;

}  // namespace ompdm::record
