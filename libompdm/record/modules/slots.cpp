#include "record/modules/slots.h"

#include <string.h>

#include "record/modules/entry_points.h"

namespace ompdm::record {

bool read_dynamic(const dl_phdr_info& info, Dynamic& dynamic) noexcept {
  const ElfW(Dyn)* at = nullptr;
  for (unsigned i = 0; i < info.dlpi_phnum; ++i) {
    if (info.dlpi_phdr[i].p_type == PT_DYNAMIC) {
      at = reinterpret_cast<const ElfW(Dyn)*>(info.dlpi_addr + info.dlpi_phdr[i].p_vaddr);
    }
  }
  for (; at != nullptr && at->d_tag != DT_NULL; ++at) {
    const auto value = at->d_un.d_ptr;
    switch (at->d_tag) {
      case DT_SYMTAB:
        dynamic.symbols = reinterpret_cast<const ElfW(Sym)*>(value);
        break;
      case DT_STRTAB:
        dynamic.strings = reinterpret_cast<const char*>(value);
        break;
      case DT_JMPREL:
        dynamic.plt = reinterpret_cast<const ElfW(Rela)*>(value);
        break;
      case DT_PLTRELSZ:
        dynamic.plt_count = value / sizeof(ElfW(Rela));
        break;
      case DT_RELA:
        dynamic.data = reinterpret_cast<const ElfW(Rela)*>(value);
        break;
      case DT_RELASZ:
        dynamic.data_count = value / sizeof(ElfW(Rela));
        break;
      case DT_GNU_HASH:
        dynamic.gnu_hash = reinterpret_cast<const std::uint32_t*>(value);
        break;
      default:
        break;
    }
  }
  return dynamic.symbols != nullptr &&
         reinterpret_cast<std::uint64_t>(dynamic.strings) >= info.dlpi_addr;
}

bool is_of_offload_runtime(const char* name) noexcept {
  return strncmp(name, "__tgt_", 6) == 0 || strncmp(name, "omp_target_", 11) == 0 ||
         strcmp(name, "omp_get_mapped_ptr") == 0;
}

bool calls_offload_runtime(const dl_phdr_info& info) noexcept {
  Dynamic dynamic;
  bool calls = false;
  if (!is_offload_runtime(info) && read_dynamic(info, dynamic)) {
    each_slot(info, dynamic,
              [&](const Slot& slot) { calls = calls || is_of_offload_runtime(slot.name); });
  }
  return calls;
}

}  // namespace ompdm::record
