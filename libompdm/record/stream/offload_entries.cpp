#include "record/stream/offload_entries.h"

#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>

#include "record/modules/file_bytes.h"
#include "record/modules/loaded_objects.h"

namespace ompdm::record {
namespace {

// struct __tgt_offload_entry of LLVM up to 19 (clang's OffloadEntry, llvm/Frontend/Offloading).
struct OldEntry {
  const void* address;
  const char* name;
  std::uint64_t size;
  std::int32_t flags;
  std::int32_t data;
};

// llvm::offloading::EntryTy of LLVM 20 and later.
struct NewEntry {
  std::uint64_t reserved;
  std::uint16_t version;
  std::uint16_t kind;
  std::uint32_t flags;
  const void* address;
  const char* name;
  std::uint64_t size;
  std::uint64_t data;
  const void* auxiliary;
};

constexpr std::size_t kLongestName = 4096;

/// An entry as it is kept between its table and its record; the name follows, NUL-terminated.
struct Entry {
  std::uint64_t address;
  std::uint64_t size;
  std::uint32_t flags;
  std::uint32_t name_size;  ///< NUL included
};

constexpr std::size_t space_of(const Entry& entry) noexcept {
  return sizeof(Entry) + ((entry.name_size + std::size_t{7}) & ~std::size_t{7});
}

struct Section {
  std::uint64_t address;  ///< in the file's own numbering
  std::uint64_t size;
  bool is_new;  ///< holds NewEntry, else OldEntry
};

// A section that the file says is loaded, with entries in it; size 0 if there is none.
Section find_section(const FileBytes& file) noexcept {
  ElfW(Ehdr) elf;
  ElfW(Shdr) strings;
  if (!file.read(0, elf) ||
      !file.read(elf.e_shoff + std::uint64_t{elf.e_shstrndx} * sizeof(strings), strings)) {
    return {};
  }
  constexpr char kOld[] = "omp_offloading_entries";
  constexpr char kNew[] = "llvm_offload_entries";
  for (unsigned i = 0; i < elf.e_shnum; ++i) {
    ElfW(Shdr) section;
    char name[sizeof(kOld)];
    if (!file.read(elf.e_shoff + i * sizeof(section), section)) {
      return {};
    }
    if ((section.sh_flags & SHF_ALLOC) == 0 || section.sh_name >= strings.sh_size) {
      continue;
    }
    const std::uint64_t rest = strings.sh_size - section.sh_name;
    const std::size_t size = rest < sizeof(name) ? rest : sizeof(name);
    if (!file.read(strings.sh_offset + section.sh_name, name, size)) {
      continue;
    }
    const bool is_old = size == sizeof(kOld) && memcmp(name, kOld, sizeof(kOld)) == 0;
    if (is_old || (size >= sizeof(kNew) && memcmp(name, kNew, sizeof(kNew)) == 0)) {
      return {section.sh_addr, section.sh_size, !is_old};
    }
  }
  return {};
}

/// Copies the table while the loader's list lock keeps the module where it is.
struct Copy {
  const LoadedFile& loaded;
  Section section;
  bool filled;        ///< every entry has its name, so the loader has relocated the table
  std::byte* memory;  ///< Entry after Entry; null if there are none
  std::size_t capacity;
  std::size_t used;
};

// The longest text at `name` that lies in the module; empty if none does.
std::size_t name_length(const dl_phdr_info& info, const char* name) noexcept {
  const auto at = reinterpret_cast<std::uint64_t>(name);
  const auto* segment = segment_of(info, at, 1, PF_R);
  if (segment == nullptr) {
    return 0;
  }
  const std::uint64_t rest = info.dlpi_addr + segment->p_vaddr + segment->p_memsz - at;
  return strnlen(name, rest < kLongestName ? rest : kLongestName);
}

template <class Row, class Visit>
void each_entry(const dl_phdr_info& info, const Section& section, Visit&& visit) noexcept {
  const auto* row = reinterpret_cast<const Row*>(info.dlpi_addr + section.address);
  for (const Row* end = row + section.size / sizeof(Row); row != end; ++row) {
    const std::size_t length = name_length(info, row->name);
    const auto flags = static_cast<std::uint32_t>(row->flags);
    const std::uint64_t size =
        flags == spool::kEntryRequires ? static_cast<std::uint64_t>(row->data) : row->size;
    visit(Entry{reinterpret_cast<std::uint64_t>(row->address), size, flags,
                static_cast<std::uint32_t>(length + 1)},
          row->name);
  }
}

template <class Row>
void copy_table(const dl_phdr_info& info, Copy& copy) noexcept {
  copy.filled = true;
  each_entry<Row>(info, copy.section, [&](const Entry& entry, const char* /*name*/) {
    copy.filled = copy.filled && (entry.name_size > 1 || entry.flags == spool::kEntryRequires);
    copy.capacity += space_of(entry);
  });
  if (!copy.filled || copy.capacity == 0) {
    return;
  }
  void* memory =
      mmap(nullptr, copy.capacity, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    return;
  }
  copy.memory = static_cast<std::byte*>(memory);
  each_entry<Row>(info, copy.section, [&](const Entry& entry, const char* name) {
    if (copy.capacity - copy.used >= space_of(entry)) {
      memcpy(copy.memory + copy.used, &entry, sizeof(entry));
      memcpy(copy.memory + copy.used + sizeof(entry), name, entry.name_size - 1);
      copy.used += space_of(entry);
    }
  });
}

int visit(dl_phdr_info* info, std::size_t /*size*/, void* data) noexcept {
  Copy& copy = *static_cast<Copy*>(data);
  if (info->dlpi_addr != copy.loaded.bias || !(identity_of(*info) == copy.loaded.identity)) {
    return 0;
  }
  const std::uint64_t table = info->dlpi_addr + copy.section.address;
  if (segment_of(*info, table, copy.section.size, PF_R) == nullptr) {
    return 1;
  }
  if (copy.section.is_new) {
    copy_table<NewEntry>(*info, copy);
  } else {
    copy_table<OldEntry>(*info, copy);
  }
  return 1;
}

void write_entry(Lane& lane, spool::ModuleId module, const Entry& entry,
                 const char* name) noexcept {
  if (entry.address == 0 && entry.flags != spool::kEntryRequires) {
    return;
  }
  auto* record = reserve<spool::OffloadEntry>(lane, entry.name_size);
  if (record == nullptr) {
    return;
  }
  record->module = module;
  record->address = entry.address;
  record->size = entry.size;
  record->flags = entry.flags;
  record->name_size = entry.name_size;
  memcpy(record + 1, name, entry.name_size);
  commit(lane, record, spool::Tag::kEntry, 0, entry.name_size);
}

}  // namespace

bool write_entries_of(Lane& lane, spool::ModuleId module, const LoadedFile& loaded) noexcept {
  const FileBytes file(loaded.path);
  if (!loaded.identity.known() || !(identity_of(file) == loaded.identity)) {
    // Replaced since it was loaded: its sections lie elsewhere.
    count_loss(spool::Loss::kEntriesUnread);
    return true;
  }
  Copy copy{loaded, find_section(file), false, nullptr, 0, 0};
  if (copy.section.size == 0) {
    return true;
  }
  walk_objects(visit, &copy);
  Entry entry;
  for (std::size_t at = 0; at < copy.used; at += space_of(entry)) {
    memcpy(&entry, copy.memory + at, sizeof(entry));
    write_entry(lane, module, entry,
                reinterpret_cast<const char*>(copy.memory + at) + sizeof(entry));
  }
  if (copy.memory != nullptr) {
    munmap(copy.memory, copy.capacity);
  }
  return copy.filled;
}

}  // namespace ompdm::record
