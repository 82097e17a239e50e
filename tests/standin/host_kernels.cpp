#include "host_kernels.h"

#include <elf.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>

namespace standin {
namespace {

constexpr std::size_t kMostParameters = 16;
using Parameters = std::array<std::uint64_t, kMostParameters>;

// CU_LAUNCH_PARAM_BUFFER_POINTER and CU_LAUNCH_PARAM_BUFFER_SIZE.
void* const kBufferPointer = reinterpret_cast<void*>(1);
void* const kBufferSize = reinterpret_cast<void*>(2);

/// Where the program itself lies in memory: the first object that is told.
std::uint64_t load_address() {
  std::uint64_t address = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* found) {
        *static_cast<std::uint64_t*>(found) = info->dlpi_addr;
        return 1;
      },
      &address);
  return address;
}

/// The program's functions, those that are not exported too.
std::map<std::string, std::uint64_t> functions() {
  std::map<std::string, std::uint64_t> found;
  std::ifstream file("/proc/self/exe", std::ios::binary);
  const std::string image((std::istreambuf_iterator<char>(file)), {});
  const auto* header = reinterpret_cast<const Elf64_Ehdr*>(image.data());
  const auto* sections = reinterpret_cast<const Elf64_Shdr*>(image.data() + header->e_shoff);
  const std::uint64_t base = load_address();
  for (unsigned i = 0; i < header->e_shnum; ++i) {
    if (sections[i].sh_type != SHT_SYMTAB) continue;
    const char* names = image.data() + sections[sections[i].sh_link].sh_offset;
    const auto* symbols = reinterpret_cast<const Elf64_Sym*>(image.data() + sections[i].sh_offset);
    for (std::size_t k = 0; k < sections[i].sh_size / sizeof(Elf64_Sym); ++k) {
      if (ELF64_ST_TYPE(symbols[k].st_info) != STT_FUNC || symbols[k].st_value == 0) continue;
      found[names + symbols[k].st_name] = base + symbols[k].st_value;
    }
  }
  return found;
}

}  // namespace

HostKernel* host_kernel(const std::string& name) {
  const char* how = std::getenv("STANDIN_KERNELS");
  if (how == nullptr || std::strcmp(how, "host") != 0) return nullptr;
  static const std::map<std::string, std::uint64_t> all = functions();
  const auto at = all.find(name);
  return at == all.end() ? nullptr : reinterpret_cast<HostKernel*>(at->second);
}

std::function<void()> host_call(HostKernel* function, void* const* extra) {
  const std::uint64_t* buffer = nullptr;
  std::size_t bytes = 0;
  for (; extra != nullptr && *extra != nullptr; extra += 2) {
    if (extra[0] == kBufferPointer) buffer = static_cast<const std::uint64_t*>(extra[1]);
    if (extra[0] == kBufferSize) bytes = *static_cast<const std::size_t*>(extra[1]);
  }
  Parameters values{};
  // The first is the launch's environment, which the host's function does not have.
  const std::size_t count = std::min(bytes / sizeof(std::uint64_t), kMostParameters + 1);
  for (std::size_t i = 1; i < count; ++i) values[i - 1] = buffer[i];
  // More arguments than a function has do no harm.
  return [function, values] {
    const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = values;
    function(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p);
  };
}

}  // namespace standin
