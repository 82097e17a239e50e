// The bytes of a module's file, by copy: of a file that is mapped and then cut short (a linker that
// writes it anew, a copy over it) the first look at a page that is gone kills with SIGBUS.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace ompdm::record {

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

}  // namespace ompdm::record
