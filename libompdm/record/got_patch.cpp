#include <elf.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "record/entry_points.h"
#include "record/loaded_objects.h"
#include "record/modules.h"
#include "record/process_facts.h"
#include "record/recorder.h"

namespace ompdm::record {

bool read_dynamic(const dl_phdr_info& info, Dynamic& dynamic) noexcept {
  const ElfW(Dyn)* at = nullptr;
  for (const auto& header : headers_of(info)) {
    if (header.p_type == PT_DYNAMIC) {
      at = reinterpret_cast<const ElfW(Dyn)*>(info.dlpi_addr + header.p_vaddr);
    }
  }
  std::uint64_t values[DT_NUM] = {};
  for (; at != nullptr && at->d_tag != DT_NULL; ++at) {
    if (at->d_tag == DT_GNU_HASH) {
      dynamic.gnu_hash = reinterpret_cast<const std::uint32_t*>(at->d_un.d_ptr);
    } else if (at->d_tag > 0 && at->d_tag < DT_NUM) {
      values[at->d_tag] = at->d_un.d_ptr;
    }
  }
  const auto relocations = [&](unsigned table, unsigned bytes) -> std::span<const ElfW(Rela)> {
    const auto* first = reinterpret_cast<const ElfW(Rela)*>(values[table]);
    return {first, first != nullptr ? values[bytes] / sizeof(*first) : 0};
  };
  dynamic.symbols = reinterpret_cast<const ElfW(Sym)*>(values[DT_SYMTAB]);
  dynamic.strings = reinterpret_cast<const char*>(values[DT_STRTAB]);
  dynamic.relocations[0] = relocations(DT_JMPREL, DT_PLTRELSZ);
  dynamic.relocations[1] = relocations(DT_RELA, DT_RELASZ);
  return dynamic.symbols != nullptr &&
         reinterpret_cast<std::uint64_t>(dynamic.strings) >= info.dlpi_addr;
}

namespace {

// How the loader fills a slot, by the types of its relocations.
enum class Filled : std::uint64_t {
#if defined(__aarch64__)
  kCall = R_AARCH64_JUMP_SLOT,
  kData = R_AARCH64_GLOB_DAT,
  kObject = R_AARCH64_ABS64,
#else
  kCall = R_X86_64_JUMP_SLOT,  ///< for calls: at load, or at the first call
  kData = R_X86_64_GLOB_DAT,   ///< for addresses taken and calls without PLT: at load
  kObject = R_X86_64_64,       ///< for an initialised object of the program
#endif
};

struct Slot {
  std::uint64_t at;
  Filled filled;
  bool defined_here;  ///< the module has a function of this name itself
  const char* name;
};

// Calls `visit` with each slot of a module that the loader fills with a symbol's address.
template <class Visit>
void each_slot(const dl_phdr_info& info, const Dynamic& dynamic, Visit&& visit) noexcept {
  for (const auto& table : dynamic.relocations) {
    for (const auto& relocation : table) {
      const auto filled = static_cast<Filled>(ELF64_R_TYPE(relocation.r_info));
      if (filled == Filled::kCall || filled == Filled::kData || filled == Filled::kObject) {
        const ElfW(Sym)& symbol = dynamic.symbols[ELF64_R_SYM(relocation.r_info)];
        visit(Slot{info.dlpi_addr + relocation.r_offset, filled, symbol.st_shndx != SHN_UNDEF,
                   dynamic.strings + symbol.st_name});
      }
    }
  }
}

// Whether a symbol may be one of the offload runtime.
bool is_of_offload_runtime(const char* name) noexcept {
  return strncmp(name, "__tgt_", 6) == 0 || strncmp(name, "omp_target_", 11) == 0 ||
         strcmp(name, "omp_get_mapped_ptr") == 0;
}

std::uint64_t page_size() noexcept { return static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)); }

// The pages that the loader makes read-only after it has relocated the module, just before the
// constructors run (glibc, elf/dl-reloc.c). Empty if there are none.
AddressRange relro_of(const dl_phdr_info& info) noexcept {
  AddressRange relro{};
  for (const auto& header : headers_of(info)) {
    const std::uint64_t begin = info.dlpi_addr + header.p_vaddr;
    if (header.p_type == PT_GNU_RELRO) {
      relro = {begin & ~(page_size() - 1), (begin + header.p_memsz) & ~(page_size() - 1)};
    }
  }
  return relro;
}

// Replaces a slot's value. False if the page could not be made writable. A concurrent change, by
// the program or by the loader at a first call, wins.
bool replace(const AddressRange& relro, int relro_protection, std::uint64_t slot,
             std::uint64_t value, void (*wrapper)()) noexcept {
  const std::uint64_t page = slot & ~(page_size() - 1);
  auto* const memory = reinterpret_cast<void*>(page);
  const bool read_only = relro.holds(page);
  if (read_only && mprotect(memory, page_size(), relro_protection | PROT_WRITE) != 0) {
    return false;
  }
  __atomic_compare_exchange_n(reinterpret_cast<std::uint64_t*>(slot), &value,
                              reinterpret_cast<std::uint64_t>(wrapper), false, __ATOMIC_ACQ_REL,
                              __ATOMIC_ACQUIRE);
  return !read_only || mprotect(memory, page_size(), relro_protection) == 0;
}

int position_of(const char* name) noexcept {
  if (!is_of_offload_runtime(name)) {
    return -1;
  }
  for (unsigned i = 0; i < kWrapperCount; ++i) {
    if (ompdm_real[i] != nullptr && strcmp(name, kWrappers[i].name) == 0) {
      return static_cast<int>(i);
    }
  }
  return -1;
}

}  // namespace

bool calls_offload_runtime(const dl_phdr_info& info) noexcept {
  Dynamic dynamic;
  bool calls = false;
  if (!is_offload_runtime(info) && read_dynamic(info, dynamic)) {
    each_slot(info, dynamic,
              [&](const Slot& slot) { calls = calls || is_of_offload_runtime(slot.name); });
  }
  return calls;
}

bool lead_calls(const dl_phdr_info& info, const char* name, void (*function)()) noexcept {
  Dynamic dynamic;
  if (!read_dynamic(info, dynamic)) {
    return false;
  }
  const AddressRange relro = relro_of(info);
  const int protection =
      relro.begin < relro.end ? protection_of(relro.begin, relro.end) : PROT_READ;
  bool is_led = false;
  each_slot(info, dynamic, [&](const Slot& slot) {
    if (slot.filled == Filled::kObject || strcmp(slot.name, name) != 0) {
      return;
    }
    const std::uint64_t value =
        __atomic_load_n(reinterpret_cast<std::uint64_t*>(slot.at), __ATOMIC_ACQUIRE);
    is_led = replace(relro, protection, slot.at, value, function) || is_led;
  });
  return is_led;
}

Patched patch_module(const dl_phdr_info& info) noexcept {
  Dynamic dynamic;
  if (!read_dynamic(info, dynamic)) {
    return Patched::kNotAll;
  }
  const AddressRange relro = relro_of(info);
  const bool has_relro = relro.begin < relro.end;
  int relro_protection = kProtectionUnknown;
  bool unknown = false;  // the protection of those pages, so they are left alone
  bool not_yet = false;
  bool not_all = false;
  each_slot(info, dynamic, [&](const Slot& slot) {
    const int found = position_of(slot.name);
    if (found < 0 || slot.at % sizeof(void*) != 0 ||
        segment_of(info, slot.at, sizeof(void*), PF_W) == nullptr || unknown ||
        (not_yet && has_relro)) {
      return;
    }
    const auto position = static_cast<unsigned>(found);
    const std::uint64_t value =
        __atomic_load_n(reinterpret_cast<std::uint64_t*>(slot.at), __ATOMIC_ACQUIRE);
    if (value == reinterpret_cast<std::uint64_t>(kWrappers[position].wrapper)) {
      return;
    }
    // Until the first call the slot leads to the module's own stub for lazy binding.
    const bool is_entry = value == reinterpret_cast<std::uint64_t>(ompdm_real[position]) ||
                          (slot.filled == Filled::kCall && !slot.defined_here &&
                           segment_of(info, value, 1, PF_X) != nullptr);
    // What the linker put there: the loader has not come by, or found no such function.
    const bool is_empty = !is_entry && value < range_of(info).end - info.dlpi_addr;
    if (!is_entry && !is_empty) {
      // Another tool's function, or what the program has stored since.
      not_all = not_all || slot.filled != Filled::kObject;
      return;
    }
    if (has_relro && relro_protection == kProtectionUnknown) {
      relro_protection = protection_of(relro.begin, relro.end);
      unknown = relro_protection == kProtectionUnknown;
      not_yet = !unknown && (relro_protection & PROT_WRITE) != 0;
    }
    if (unknown) {
      return;
    }
    if (is_empty) {
      // Without read-only pages, the slot shows that the loader is not done.
      not_yet = not_yet || !has_relro;
    } else if (!not_yet || !has_relro) {
      not_all =
          !replace(relro, relro_protection, slot.at, value, kWrappers[position].wrapper) || not_all;
    }
  });
  return not_yet ? Patched::kNotYet : not_all || unknown ? Patched::kNotAll : Patched::kAll;
}

}  // namespace ompdm::record
