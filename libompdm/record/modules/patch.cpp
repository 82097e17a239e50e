#include "record/modules/patch.h"

#include <dlfcn.h>
#include <elf.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

#include "record/events/wrappers.h"
#include "record/process/recorder.h"

namespace ompdm::record {
namespace {

// The parts of a module's dynamic section that relocations need.
struct Dynamic {
  const ElfW(Sym) * symbols = nullptr;
  const char* strings = nullptr;
  const ElfW(Rela) * plt = nullptr;
  std::size_t plt_count = 0;
  const ElfW(Rela) * data = nullptr;
  std::size_t data_count = 0;
  std::uint64_t relro_begin = 0;
  std::uint64_t relro_end = 0;
};

std::uint64_t page_size() noexcept { return static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)); }

bool read_dynamic(const dl_phdr_info& info, Dynamic& dynamic) noexcept {
  const ElfW(Dyn)* at = nullptr;
  for (unsigned i = 0; i < info.dlpi_phnum; ++i) {
    const auto& header = info.dlpi_phdr[i];
    const std::uint64_t begin = info.dlpi_addr + header.p_vaddr;
    if (header.p_type == PT_DYNAMIC) {
      at = reinterpret_cast<const ElfW(Dyn)*>(begin);
    } else if (header.p_type == PT_GNU_RELRO) {
      dynamic.relro_begin = begin & ~(page_size() - 1);
      dynamic.relro_end = (begin + header.p_memsz) & ~(page_size() - 1);
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
      default:
        break;
    }
  }
  // The vdso's pointers are not relocated; nothing there calls us.
  return dynamic.symbols != nullptr &&
         reinterpret_cast<std::uint64_t>(dynamic.strings) >= info.dlpi_addr;
}

// The psABI names the relocations that fill a slot with a function's address differently on each
// machine.
bool fills_a_slot(std::uint64_t type) noexcept {
#if defined(__x86_64__)
  return type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT || type == R_X86_64_64;
#elif defined(__aarch64__)
  return type == R_AARCH64_JUMP_SLOT || type == R_AARCH64_GLOB_DAT || type == R_AARCH64_ABS64;
#else
  return false;
#endif
}

template <class Visit>
void each_slot(const Dynamic& dynamic, Visit&& visit) noexcept {
  const auto walk = [&](const ElfW(Rela) * relocations, std::size_t count) {
    for (std::size_t i = 0; relocations != nullptr && i < count; ++i) {
      if (fills_a_slot(ELF64_R_TYPE(relocations[i].r_info))) {
        const ElfW(Sym)& symbol = dynamic.symbols[ELF64_R_SYM(relocations[i].r_info)];
        visit(dynamic.strings + symbol.st_name, relocations[i].r_offset);
      }
    }
  };
  walk(dynamic.plt, dynamic.plt_count);
  walk(dynamic.data, dynamic.data_count);
}

bool is_offload_runtime(const dl_phdr_info& info) noexcept {
  const char* slash = strrchr(info.dlpi_name, '/');
  return strncmp(slash != nullptr ? slash + 1 : info.dlpi_name, "libomptarget.so", 15) == 0;
}

bool store(std::uint64_t slot, void* function, const Dynamic& dynamic) noexcept {
  const std::uint64_t page = slot & ~(page_size() - 1);
  const bool read_only = page >= dynamic.relro_begin && page < dynamic.relro_end;
  auto* const memory = reinterpret_cast<void*>(page);
  if (read_only && mprotect(memory, page_size(), PROT_READ | PROT_WRITE) != 0) {
    return false;
  }
  __atomic_store_n(reinterpret_cast<void**>(slot), function, __ATOMIC_RELEASE);
  return !read_only || mprotect(memory, page_size(), PROT_READ) == 0;
}

}  // namespace

bool calls_offload_runtime(const dl_phdr_info& info) noexcept {
  Dynamic dynamic;
  bool calls = false;
  if (!is_offload_runtime(info) && read_dynamic(info, dynamic)) {
    each_slot(dynamic, [&](const char* name, std::uint64_t /*offset*/) {
      calls = calls || strncmp(name, "__tgt_", 6) == 0 || strncmp(name, "omp_target_", 11) == 0;
    });
  }
  return calls;
}

bool patch_module(const dl_phdr_info& info) noexcept {
  Dynamic dynamic;
  if (!read_dynamic(info, dynamic)) {
    return false;
  }
  bool all = true;
  each_slot(dynamic, [&](const char* name, std::uint64_t offset) {
    if (strncmp(name, "__tgt_", 6) != 0 && strncmp(name, "omp_target_", 11) != 0) {
      return;
    }
    for (unsigned i = 0; i < kWrapperCount; ++i) {
      if (strcmp(name, kWrappers[i].name) == 0 && ompdm_real[i] != nullptr) {
        all = store(info.dlpi_addr + offset, reinterpret_cast<void*>(kWrappers[i].wrapper),
                    dynamic) &&
              all;
      }
    }
  });
  return all;
}

namespace {

bool entry_points_known = false;
int (*get_default_device)() = nullptr;
std::uint64_t runtime_begin = 0;  // where libomptarget lies
std::uint64_t runtime_end = 0;

int find_offload_runtime(dl_phdr_info* info, std::size_t /*size*/, void* data) noexcept {
  if (!is_offload_runtime(*info)) {
    return 0;
  }
  strncpy(static_cast<char*>(data), info->dlpi_name, 1023);
  runtime_begin = info->dlpi_addr;
  runtime_end = runtime_begin;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    const std::uint64_t end = info->dlpi_addr + segment.p_vaddr + segment.p_memsz;
    if (segment.p_type == PT_LOAD && end > runtime_end) {
      runtime_end = end;
    }
  }
  return 1;
}

// A handle of libomptarget without loading it, or null.
void* open_offload_runtime() noexcept {
  char path[1024] = {};
  dl_iterate_phdr(find_offload_runtime, path);
  return path[0] != '\0' ? dlopen(path, RTLD_LAZY | RTLD_NOLOAD) : nullptr;
}

}  // namespace

void* next_entry_point(const char* name) noexcept {
  void* next = dlsym(RTLD_NEXT, name);
  void* runtime = next == nullptr ? open_offload_runtime() : nullptr;
  if (runtime != nullptr) {
    // It came with a library that was opened privately.
    next = dlsym(runtime, name);
    dlclose(runtime);
  }
  return next;
}

bool find_entry_points() noexcept {
  if (entry_points_known || kWrapperCount == 0) {
    return entry_points_known;
  }
  void* runtime = open_offload_runtime();
  if (runtime == nullptr) {
    return false;
  }
  for (unsigned i = 0; i < kWrapperCount; ++i) {
    void* function = dlsym(runtime, kWrappers[i].name);
    void* seen_by_program = dlsym(RTLD_DEFAULT, kWrappers[i].name);
    // Where another library stands in front of the runtime, going past it would change the program.
    if (seen_by_program == nullptr || seen_by_program == function) {
      ompdm_real[i] = function;
    }
  }
  dlclose(runtime);
  get_default_device = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "omp_get_default_device"));
  entry_points_known = true;
  return true;
}

int default_device() noexcept { return get_default_device != nullptr ? get_default_device() : -1; }

bool is_in_offload_runtime(const void* address) noexcept {
  const auto at = reinterpret_cast<std::uint64_t>(address);
  return at >= runtime_begin && at < runtime_end;
}

bool can_patch() noexcept { return entry_points_known && recorder.config.names; }

}  // namespace ompdm::record
