// Objects as the loader has them, and the files that they came from.
#pragma once

#include <link.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "record/recorder.h"

namespace ompdm::record {

/// Whether the loader's list of objects can be walked. No fork resets the lock of the list: where
/// another thread held it at the fork, a walk in the child would wait for ever. The first call in a
/// child finds out, which takes some hundred microseconds, or a fifth of a second where it cannot.
bool can_walk_objects() noexcept;

/// libc's dl_iterate_phdr(), if the list can be walked. A program may define a function of its own
/// by that name, which is not called.
void walk_objects(int (*visit)(dl_phdr_info* info, std::size_t size, void* data),
                  void* data) noexcept;

/// Calls `visit` with the dl_phdr_info of each object until it returns true.
template <class Visit>
void walk_objects(Visit visit) noexcept {
  const auto call = [](dl_phdr_info* info, std::size_t /*size*/, void* data) -> int {
    return (*static_cast<Visit*>(data))(*info);
  };
  walk_objects(call, &visit);
}

/// An object's program headers.
inline std::span<const ElfW(Phdr)> headers_of(const dl_phdr_info& info) noexcept {
  return {info.dlpi_phdr, info.dlpi_phnum};
}

/// The addresses of an object's segments, from the first to the last.
AddressRange range_of(const dl_phdr_info& info) noexcept;

/// Copies the path of an object, for the program that of its file; empty if it is not known.
void copy_path(const dl_phdr_info& info, char* path, std::size_t capacity) noexcept;

/// Called in a fork's child, before any walk.
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

/// Whether glibc has _dl_find_object (2.35 and later). It reads a table of the loaded objects
/// without a lock; in a callback another thread may hold the loader's.
bool can_find_objects() noexcept;

/// The object at an address. False if there is none, or no _dl_find_object.
bool find_object(std::uint64_t address, FoundObject& found) noexcept;

/// Looks up _dl_find_object. Called at attach, so that no callback calls dlsym().
void prepare_find_object() noexcept;

/// Reads a module's file by copies. The file is not mapped: a linker or a copy may cut it short,
/// and a load from a page that is gone raises SIGBUS.
class FileBytes {
 public:
  /// Opens the file; if that fails, nothing can be read.
  explicit FileBytes(const char* path) noexcept;
  ~FileBytes();
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;

  /// Copies `size` bytes from `offset`. False if the file does not hold them.
  bool read(std::uint64_t offset, void* to, std::size_t size) const noexcept;

  /// The same into an object.
  template <class T>
  bool read(std::uint64_t offset, T& to) const noexcept {
    static_assert(std::is_trivially_copyable_v<T>);
    return read(offset, &to, sizeof(to));
  }

 private:
  int file_;
};

/// Distinguishes two files that were loaded at one place, or had one name, at different times. It
/// is the build-id, or without one a digest of the first page, which holds the ELF and program
/// headers.
struct Identity {
  std::uint32_t build_id_size;
  unsigned char build_id[32];
  std::uint64_t first_page;  ///< 0: there is a build-id, or the page is not loaded as it is

  /// Whether both are of one file.
  bool operator==(const Identity& other) const noexcept;
  /// Whether the file could be identified.
  [[nodiscard]] bool known() const noexcept { return build_id_size != 0 || first_page != 0; }
};

/// The identity of a loaded object. No allocation, no system call.
Identity identity_of(const dl_phdr_info& info) noexcept;

/// The identity of an ELF file. Makes system calls.
Identity identity_of(const FileBytes& file) noexcept;

/// The segment with these `flags` (PF_R, PF_W, PF_X) that holds all `size` bytes from `address`;
/// null if there is none.
const ElfW(Phdr) * segment_of(const dl_phdr_info& info, std::uint64_t address, std::uint64_t size,
                              std::uint32_t flags) noexcept;

}  // namespace ompdm::record
