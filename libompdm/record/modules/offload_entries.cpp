#include "record/modules/offload_entries.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

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

class MappedFile {
 public:
  explicit MappedFile(const char* path) noexcept {
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
      return;
    }
    struct stat facts;
    if (fstat(file, &facts) == 0 && facts.st_size > 0) {
      void* base =
          mmap(nullptr, static_cast<std::size_t>(facts.st_size), PROT_READ, MAP_PRIVATE, file, 0);
      if (base != MAP_FAILED) {
        base_ = static_cast<const char*>(base);
        size_ = static_cast<std::size_t>(facts.st_size);
      }
    }
    close(file);
  }
  ~MappedFile() {
    if (base_ != nullptr) {
      munmap(const_cast<char*>(base_), size_);
    }
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  template <class T>
  const T* at(std::uint64_t offset, std::uint64_t count = 1) const noexcept {
    return offset <= size_ && count <= (size_ - offset) / sizeof(T)
               ? reinterpret_cast<const T*>(base_ + offset)
               : nullptr;
  }

 private:
  const char* base_ = nullptr;
  std::size_t size_ = 0;
};

void write_entry(Lane& lane, std::uint32_t module, const void* address, const char* name,
                 std::uint64_t size, std::uint32_t flags) noexcept {
  const std::size_t length = name != nullptr ? strnlen(name, 4096) : 0;
  if (length == 0 || address == nullptr) {
    return;
  }
  auto* record = reserve<spool::OffloadEntry>(lane, length + 1);
  if (record == nullptr) {
    return;
  }
  record->module = module;
  record->address = reinterpret_cast<std::uint64_t>(address);
  record->size = size;
  record->flags = flags;
  record->name_size = static_cast<std::uint32_t>(length + 1);
  auto* text = reinterpret_cast<char*>(record + 1);
  memcpy(text, name, length);
  text[length] = '\0';
  commit(lane, record, spool::Tag::kEntry, 0, length + 1);
}

template <class Entry>
void write_table(Lane& lane, std::uint32_t module, std::uint64_t begin,
                 std::uint64_t size) noexcept {
  const auto* entry = reinterpret_cast<const Entry*>(begin);
  for (const Entry* end = entry + size / sizeof(Entry); entry != end; ++entry) {
    write_entry(lane, module, entry->address, entry->name, entry->size,
                static_cast<std::uint32_t>(entry->flags));
  }
}

}  // namespace

void write_entries_of(Lane& lane, std::uint32_t module, const char* path,
                      std::uint64_t bias) noexcept {
  const MappedFile file(path);
  const auto* elf = file.at<ElfW(Ehdr)>(0);
  if (elf == nullptr || memcmp(elf->e_ident, ELFMAG, SELFMAG) != 0) {
    return;
  }
  const auto* sections = file.at<ElfW(Shdr)>(elf->e_shoff, elf->e_shnum);
  if (sections == nullptr || elf->e_shstrndx >= elf->e_shnum) {
    return;
  }
  const ElfW(Shdr)& strings = sections[elf->e_shstrndx];
  for (unsigned i = 0; i < elf->e_shnum; ++i) {
    const ElfW(Shdr)& section = sections[i];
    constexpr std::size_t kLongest = sizeof("omp_offloading_entries");
    if (section.sh_name >= strings.sh_size || (section.sh_flags & SHF_ALLOC) == 0) {
      continue;
    }
    const std::size_t rest = strings.sh_size - section.sh_name;
    const std::size_t most = rest < kLongest ? rest : kLongest;
    const char* name = file.at<char>(strings.sh_offset + section.sh_name, most);
    if (name == nullptr) {
      continue;
    }
    if (strncmp(name, "omp_offloading_entries", most) == 0) {
      write_table<OldEntry>(lane, module, bias + section.sh_addr, section.sh_size);
    } else if (strncmp(name, "llvm_offload_entries", most) == 0) {
      write_table<NewEntry>(lane, module, bias + section.sh_addr, section.sh_size);
    }
  }
}

}  // namespace ompdm::record
