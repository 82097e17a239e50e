#include "record/modules/identity.h"

#include <string.h>

#include "record/contents/digest.h"

namespace ompdm::record {
namespace {

constexpr std::size_t kPage = 4096;

// Notes that are loaded.
struct InMemory {
  const std::byte* begin;

  bool read(std::uint64_t at, void* to, std::size_t size) const noexcept {
    memcpy(to, begin + at, size);
    return true;
  }
};

// Reads the notes from `at` to `end`; whether one was the build-id.
template <class Bytes>
bool read_build_id(const Bytes& bytes, std::uint64_t at, std::uint64_t end,
                   Identity& identity) noexcept {
  ElfW(Nhdr) note;
  while (end - at >= sizeof(note) && bytes.read(at, &note, sizeof(note))) {
    const std::uint64_t name_size = (std::uint64_t{note.n_namesz} + 3) & ~std::uint64_t{3};
    const std::uint64_t value_size = (std::uint64_t{note.n_descsz} + 3) & ~std::uint64_t{3};
    at += sizeof(note);
    if (name_size + value_size > end - at) {
      return false;
    }
    char name[sizeof("GNU")];
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof(name) &&
        bytes.read(at, name, sizeof(name)) && memcmp(name, "GNU", sizeof(name)) == 0 &&
        note.n_descsz != 0 && note.n_descsz <= sizeof(identity.build_id) &&
        bytes.read(at + name_size, identity.build_id, note.n_descsz)) {
      identity.build_id_size = note.n_descsz;
      return true;
    }
    at += name_size + value_size;
  }
  return false;
}

std::uint64_t digest_of_page(const std::byte* page, std::uint64_t size) noexcept {
  return fingerprint_of(page, size < kPage ? size : kPage).fingerprint;
}

}  // namespace

bool Identity::operator==(const Identity& other) const noexcept {
  return build_id_size == other.build_id_size && first_page == other.first_page &&
         memcmp(build_id, other.build_id, build_id_size) == 0;
}

Identity identity_of(const dl_phdr_info& info) noexcept {
  Identity identity{};
  for (unsigned i = 0; i < info.dlpi_phnum; ++i) {
    const auto& header = info.dlpi_phdr[i];
    const InMemory notes{reinterpret_cast<const std::byte*>(info.dlpi_addr + header.p_vaddr)};
    if (header.p_type == PT_NOTE &&
        segment_of(info, info.dlpi_addr + header.p_vaddr, header.p_memsz, PF_R) != nullptr &&
        read_build_id(notes, 0, header.p_memsz, identity)) {
      return identity;
    }
  }
  for (unsigned i = 0; i < info.dlpi_phnum; ++i) {
    const auto& header = info.dlpi_phdr[i];
    // Where it can be written it need not be as it is in the file.
    if (header.p_type == PT_LOAD && header.p_offset == 0 && (header.p_flags & PF_R) != 0 &&
        (header.p_flags & PF_W) == 0) {
      identity.first_page = digest_of_page(
          reinterpret_cast<const std::byte*>(info.dlpi_addr + header.p_vaddr), header.p_filesz);
    }
  }
  return identity;
}

Identity identity_of(const FileBytes& file) noexcept {
  Identity identity{};
  ElfW(Ehdr) elf;
  if (!file.read(0, elf)) {
    return identity;
  }
  std::uint64_t first_segment = 0;
  for (unsigned i = 0; i < elf.e_phnum; ++i) {
    ElfW(Phdr) header;
    std::byte last;
    if (!file.read(elf.e_phoff + i * sizeof(header), header) ||
        header.p_offset + header.p_filesz < header.p_offset ||
        (header.p_filesz != 0 && !file.read(header.p_offset + header.p_filesz - 1, last))) {
      return identity;  // cut short
    }
    if (header.p_type == PT_NOTE &&
        read_build_id(file, header.p_offset, header.p_offset + header.p_filesz, identity)) {
      return identity;
    }
    if (header.p_type == PT_LOAD && header.p_offset == 0) {
      first_segment = header.p_filesz;
    }
  }
  static std::byte page[kPage];  // guarded as FileBytes is
  const std::uint64_t size = first_segment < kPage ? first_segment : kPage;
  if (size != 0 && file.read(0, page, size)) {
    identity.first_page = digest_of_page(page, size);
  }
  return identity;
}

const ElfW(Phdr) * segment_of(const dl_phdr_info& info, std::uint64_t address, std::uint64_t size,
                              std::uint32_t flags) noexcept {
  for (unsigned i = 0; i < info.dlpi_phnum; ++i) {
    const auto& header = info.dlpi_phdr[i];
    const std::uint64_t begin = info.dlpi_addr + header.p_vaddr;
    if (header.p_type == PT_LOAD && (header.p_flags & flags) == flags && address >= begin &&
        address - begin <= header.p_memsz && size <= header.p_memsz - (address - begin)) {
      return &header;
    }
  }
  return nullptr;
}

}  // namespace ompdm::record
