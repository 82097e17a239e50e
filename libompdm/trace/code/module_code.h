// The machine code of a module, from its file: bytes by file address, and where functions begin and
// end. Functions are what .eh_frame_hdr lists (Linux Standard Base, Core, 10.6.2), since unwinding
// needs it: stripped binaries have it too, and symbols do not say where a function's cold part
// lies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

struct Elf;

namespace ompdm::trace {

/// Addresses [begin, end) of a file.
struct CodeRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  auto operator<=>(const CodeRange&) const = default;
};

class ModuleCode {
 public:
  /// `elf` must outlive this. Of a file that is no 64-bit little-endian ELF nothing is known.
  explicit ModuleCode(Elf* elf);

  /// The bytes in [address, address + size); empty unless the file holds them all.
  [[nodiscard]] std::span<const std::byte> bytes(std::uint64_t address, std::uint64_t size) const;
  /// The function, or the part of one, that the address lies in.
  [[nodiscard]] std::optional<CodeRange> function_at(std::uint64_t address) const;
  /// Where the dynamic linker's table lies; 0: there is none.
  [[nodiscard]] std::uint64_t dynamic_table() const { return dynamic_; }

 private:
  struct Segment {
    std::uint64_t address = 0;
    std::span<const std::byte> bytes;
  };
  template <class Number>
  [[nodiscard]] std::optional<Number> read(std::uint64_t address) const;
  void find_table(std::uint64_t address);
  [[nodiscard]] std::optional<std::uint64_t> location_of(std::uint64_t row) const;
  [[nodiscard]] std::uint8_t encoding_of(std::uint64_t common_entry) const;
  [[nodiscard]] std::uint64_t size_of(std::uint64_t entry) const;

  std::vector<Segment> segments_;
  std::uint64_t dynamic_ = 0;
  std::uint64_t header_ = 0;  // of the table of functions
  std::uint64_t table_ = 0;
  std::uint32_t rows_ = 0;
};

}  // namespace ompdm::trace
