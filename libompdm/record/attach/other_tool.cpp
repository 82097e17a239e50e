#include "record/attach/other_tool.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

#include "record/modules/loaded_objects.h"
#include "record/modules/slots.h"
#include "record/process/message.h"

namespace ompdm::record {
namespace {

constexpr const char* kStartTool = "ompt_start_tool";

// Whether the object has a function of that name for others. By the GNU hash table (the ELF
// extension DT_GNU_HASH, as glibc's elf/dl-lookup.c reads it), which every linker writes by
// default.
bool defines(const dl_phdr_info& info, const char* name) noexcept {
  Dynamic dynamic;
  if (!read_dynamic(info, dynamic) || dynamic.gnu_hash == nullptr) {
    return false;
  }
  const std::uint32_t bucket_count = dynamic.gnu_hash[0];
  const std::uint32_t first_symbol = dynamic.gnu_hash[1];
  const std::uint32_t filter_words = dynamic.gnu_hash[2];
  const std::uint32_t* buckets = dynamic.gnu_hash + 4 + std::size_t{filter_words} * 2;
  const std::uint32_t* chains = buckets + bucket_count;
  std::uint32_t hash = 5381;
  for (const char* at = name; *at != '\0'; ++at) {
    hash = hash * 33 + static_cast<unsigned char>(*at);
  }
  std::uint32_t symbol = bucket_count != 0 ? buckets[hash % bucket_count] : 0;
  if (symbol < first_symbol) {
    return false;
  }
  for (bool last = false; !last; ++symbol) {
    const std::uint32_t other = chains[symbol - first_symbol];
    if ((other | 1U) == (hash | 1U) && dynamic.symbols[symbol].st_shndx != SHN_UNDEF &&
        strcmp(dynamic.strings + dynamic.symbols[symbol].st_name, name) == 0) {
      return true;
    }
    last = (other & 1U) != 0;
  }
  return false;
}

// This library, or another copy of it, of whatever version: nothing else has these entry points.
bool is_recorder(const dl_phdr_info& info) noexcept {
  const auto here = reinterpret_cast<std::uint64_t>(&is_recorder);
  for (unsigned i = 0; i < info.dlpi_phnum; ++i) {
    const auto& header = info.dlpi_phdr[i];
    if (header.p_type == PT_LOAD && here - info.dlpi_addr - header.p_vaddr < header.p_memsz) {
      return true;
    }
  }
  return defines(info, "__tgt_register_lib") && defines(info, "InitializeInjection");
}

char found[1024];

int visit(dl_phdr_info* info, std::size_t /*size*/, void* /*data*/) noexcept {
  // A runtime's own is what looks for the tools of others.
  if (!defines(*info, kStartTool) || is_recorder(*info) || defines(*info, "__kmpc_fork_call")) {
    return 0;
  }
  if (info->dlpi_name != nullptr && info->dlpi_name[0] != '\0') {
    strncpy(found, info->dlpi_name, sizeof(found) - 1);
  } else {
    const ssize_t size = readlink("/proc/self/exe", found, sizeof(found) - 1);
    if (size > 0) {
      found[size] = '\0';
    } else {
      memcpy(found, "the program", sizeof("the program"));
    }
  }
  return 1;
}

}  // namespace

const char* other_tool() noexcept {
  static bool looked = false;
  if (!looked) {
    looked = true;
    walk_objects(visit, nullptr);
  }
  return found[0] != '\0' ? found : nullptr;
}

ompt_start_tool_result_t* start_other_tool(unsigned omp_version,
                                           const char* runtime_version) noexcept {
  using StartTool = ompt_start_tool_result_t*(unsigned, const char*);
  // Where that is the runtime's own, it asks those behind itself.
  auto* next = reinterpret_cast<StartTool*>(dlsym(RTLD_NEXT, kStartTool));
  return next != nullptr ? next(omp_version, runtime_version) : nullptr;
}

void tell_of_other_tool() noexcept {
  static bool told = false;
  if (!told && other_tool() != nullptr) {
    told = true;
    remember_stderr();
    say("%s has an OMPT tool of its own (ompt_start_tool), which takes the recorder's place: "
        "nothing "
        "is recorded",
        found);
  }
}

}  // namespace ompdm::record
