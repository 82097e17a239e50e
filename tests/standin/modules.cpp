// The stand-in driver's modules: symbols are found in their images, kernels do nothing, or what the
// host would do for them.
#include <elf.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "driver.h"
#include "host_kernels.h"

namespace standin {
namespace {

constexpr std::uint32_t kCbLaunchKernel = 307;  // CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel

struct Module {
  std::string image;
  std::map<std::string, std::vector<std::uint64_t>> variables;
};

struct Function {
  std::string name;
  HostKernel* on_host = nullptr;
};

const Elf64_Sym* find_symbol(const std::string& image, const char* name) {
  const auto* file = reinterpret_cast<const Elf64_Ehdr*>(image.data());
  const auto* sections = reinterpret_cast<const Elf64_Shdr*>(image.data() + file->e_shoff);
  for (unsigned i = 0; i < file->e_shnum; ++i) {
    if (sections[i].sh_type != SHT_SYMTAB) continue;
    const char* names = image.data() + sections[sections[i].sh_link].sh_offset;
    const auto* symbols = reinterpret_cast<const Elf64_Sym*>(image.data() + sections[i].sh_offset);
    for (std::size_t k = 0; k < sections[i].sh_size / sizeof(Elf64_Sym); ++k) {
      if (std::strcmp(names + symbols[k].st_name, name) == 0) return symbols + k;
    }
  }
  return nullptr;
}

}  // namespace

extern "C" {

int cuModuleLoadDataEx(Module** module, const void* image, unsigned, void*, void*) {
  const auto* file = static_cast<const Elf64_Ehdr*>(image);
  if (std::memcmp(file->e_ident, ELFMAG, SELFMAG) != 0) return kInvalidValue;
  *module = new Module;
  (*module)->image.assign(static_cast<const char*>(image),
                          file->e_shoff + file->e_shnum * sizeof(Elf64_Shdr));
  return kSuccess;
}
int cuModuleUnload(Module*) { return kSuccess; }
int cuModuleGetFunction(Function** function, Module* module, const char* name) {
  if (find_symbol(module->image, name) == nullptr) return kNotFound;
  *function = new Function{name, host_kernel(name)};
  return kSuccess;
}
int cuModuleGetGlobal_v2(DevicePointer* address, std::size_t* bytes, Module* module,
                         const char* name) {
  const Elf64_Sym* symbol = find_symbol(module->image, name);
  if (symbol == nullptr) return kNotFound;
  auto& storage = module->variables[name];
  if (storage.empty()) {
    storage.resize(symbol->st_size / 8 + 1);
    const auto* file = reinterpret_cast<const Elf64_Ehdr*>(module->image.data());
    const auto* sections =
        reinterpret_cast<const Elf64_Shdr*>(module->image.data() + file->e_shoff);
    std::memcpy(storage.data(),
                module->image.data() + sections[symbol->st_shndx].sh_offset + symbol->st_value,
                symbol->st_size);
  }
  *address = device_address(storage.data());
  *bytes = symbol->st_size;
  return kSuccess;
}
int cuFuncGetAttribute(int* value, int attribute, Function*) {
  *value = attribute == 0 ? 1024 : 0;  // MAX_THREADS_PER_BLOCK
  return kSuccess;
}
int cuFuncSetAttribute(Function*, int, int) { return kSuccess; }
int cuLaunchKernel(const Function* function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                   Stream* stream, void**, void** extra) {
  const Calling call(kCbLaunchKernel);
  Done done{};
  done.work = Work::kKernel;
  done.correlation = call.correlation();
  const std::uint32_t grid[] = {grid_x, grid_y, grid_z};
  const std::uint32_t block[] = {block_x, block_y, block_z};
  std::copy_n(grid, 3, done.grid);
  std::copy_n(block, 3, done.block);
  done.dynamic_shared = shared;
  done.kernel = function->name.c_str();
  std::function<void()> effect = [] {};
  if (function->on_host != nullptr) {
    effect = host_call(function->on_host, extra);
  }
  enqueue(*stream, done, setting("STANDIN_KERNEL_US", 50), std::move(effect));
  return kSuccess;
}

}  // extern "C"
}  // namespace standin
