#include "record/modules/identity.h"

#include <string.h>

#include "record/contents/digest.h"

namespace ompdm::record {
namespace {

constexpr std::size_t kPage = 4096;

// Reads the notes from `at` to `end`; whether one was the build-id.
bool read_build_id(const std::byte* at, const std::byte* end, Identity& identity) noexcept {
  while (end - at >= static_cast<std::ptrdiff_t>(sizeof(ElfW(Nhdr)))) {
    ElfW(Nhdr) note;
    memcpy(&note, at, sizeof(note));
    const std::uint64_t name_size = (std::uint64_t{note.n_namesz} + 3) & ~std::uint64_t{3};
    const std::uint64_t value_size = (std::uint64_t{note.n_descsz} + 3) & ~std::uint64_t{3};
    const std::byte* name = at + sizeof(note);
    if (name_size + value_size > static_cast<std::uint64_t>(end - name)) {
      return false;
    }
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(name, "GNU", 4) == 0 &&
        note.n_descsz != 0 && note.n_descsz <= sizeof(identity.build_id)) {
      memcpy(identity.build_id, name + name_size, note.n_descsz);
      identity.build_id_size = note.n_descsz;
      return true;
    }
    at = name + name_size + value_size;
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
    const auto* begin = reinterpret_cast<const std::byte*>(info.dlpi_addr + header.p_vaddr);
    if (header.p_type == PT_NOTE &&
        segment_of(info, info.dlpi_addr + header.p_vaddr, header.p_memsz, PF_R) != nullptr &&
        read_build_id(begin, begin + header.p_memsz, identity)) {
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

Identity identity_of(const std::byte* file, std::size_t size) noexcept {
  Identity identity{};
  ElfW(Ehdr) elf;
  if (size < sizeof(elf)) {
    return identity;
  }
  memcpy(&elf, file, sizeof(elf));
  if (elf.e_phoff > size || elf.e_phnum > (size - elf.e_phoff) / sizeof(ElfW(Phdr))) {
    return identity;
  }
  std::uint64_t first_segment = 0;
  for (unsigned i = 0; i < elf.e_phnum; ++i) {
    ElfW(Phdr) header;
    memcpy(&header, file + elf.e_phoff + i * sizeof(header), sizeof(header));
    if (header.p_offset > size || header.p_filesz > size - header.p_offset) {
      return identity;  // cut short
    }
    const std::byte* begin = file + header.p_offset;
    if (header.p_type == PT_NOTE && read_build_id(begin, begin + header.p_filesz, identity)) {
      return identity;
    }
    if (header.p_type == PT_LOAD && header.p_offset == 0) {
      first_segment = header.p_filesz;
    }
  }
  if (first_segment != 0) {
    identity.first_page = digest_of_page(file, first_segment);
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
