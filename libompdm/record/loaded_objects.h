// Objects as the loader has them, and the files that they came from.
#pragma once

#include <link.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace ompdm::record {

/// Whether the list can be walked. In a fork's child the first call tries it, which takes some
/// hundred microseconds, or a fifth of a second where it cannot.
bool can_walk_objects() noexcept;

/// The C library's dl_iterate_phdr(), where the list can be walked: a program may have a function
/// of its own by that name.
void walk_objects(int (*visit)(dl_phdr_info* info, std::size_t size, void* data),
                  void* data) noexcept;

/// To be called in a fork's child, before any walk.
void distrust_object_list() noexcept;

/// glibc's struct dl_find_object.
struct FoundObject {
  unsigned long long flags;
  const std::byte* begin;
  const std::byte* end;
  const std::uint64_t* link_map;  ///< begins with the object's bias
  const std::byte* eh_frame_hdr;  ///< null: none
  unsigned long long reserved[16];
};

/// Whether the table can be asked.
bool can_find_objects() noexcept;

/// False if no object is there, or the table cannot be asked.
bool find_object(std::uint64_t address, FoundObject& found) noexcept;

/// Finds the function, so that no callback does. To be called at attach.
void prepare_find_object() noexcept;

/// A file that is open for reading, one at a time and under the recorder's mutex: what
/// was read last is kept in static memory. Fails by reading nothing.
class FileBytes {
 public:
  explicit FileBytes(const char* path) noexcept;
  ~FileBytes();
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;

  /// Copies `size` bytes, at most kPiece, from `offset`. False if the file does not hold them.
  bool read(std::uint64_t offset, void* to, std::size_t size) const noexcept;

  template <class T>
  bool read(std::uint64_t offset, T& to) const noexcept {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= kPiece);
    return read(offset, &to, sizeof(to));
  }

  static constexpr std::size_t kPiece = 4096;

 private:
  int file_;
};

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
