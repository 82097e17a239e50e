// What tells apart two files that were loaded at one place, or that lay under one name at two
// times. Of what is loaded it is known with any lock held: no allocation, no system call.
#pragma once

#include <link.h>

#include <cstdint>

#include "record/modules/file_bytes.h"

namespace ompdm::record {

/// The build-id; of a file that was linked without one, a digest of its first page, where the ELF
/// header and the program headers say how large everything in it is.
struct Identity {
  std::uint32_t build_id_size;
  unsigned char build_id[32];
  std::uint64_t first_page;  ///< 0: there is a build-id, or the page is not loaded as it is

  bool operator==(const Identity& other) const noexcept;
  [[nodiscard]] bool known() const noexcept { return build_id_size != 0 || first_page != 0; }
};

/// Of an object as it is loaded.
Identity identity_of(const dl_phdr_info& info) noexcept;

/// Of an ELF file. Reads it, so this one makes system calls.
Identity identity_of(const FileBytes& file) noexcept;

/// The segment that the address lies in, all `size` bytes of it, if it has these `flags` (PF_R,
/// PF_W, PF_X); null if there is none.
const ElfW(Phdr) * segment_of(const dl_phdr_info& info, std::uint64_t address, std::uint64_t size,
                              std::uint32_t flags) noexcept;

}  // namespace ompdm::record
