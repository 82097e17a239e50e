// The code of a module, and the functions that it imports.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <span>
#include <string_view>
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
  /// The value at an address; none unless the file holds it.
  template <class Value>
  [[nodiscard]] std::optional<Value> read(std::uint64_t address) const {
    const auto at = bytes(address, sizeof(Value));
    if (at.empty()) return std::nullopt;
    Value value{};
    std::memcpy(&value, at.data(), sizeof(value));
    return value;
  }
  /// The function, or the part of one, that the address lies in.
  [[nodiscard]] std::optional<CodeRange> function_at(std::uint64_t address) const;
  /// Where the dynamic linker's table lies; 0: there is none.
  [[nodiscard]] std::uint64_t dynamic_table() const { return dynamic_; }

 private:
  struct Segment {
    std::uint64_t address = 0;
    std::span<const std::byte> bytes;
  };
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

/// What a pointer to a symbol is made to point to.
struct Import {
  std::string_view name;      ///< as long as the module's code is there
  std::uint64_t address = 0;  ///< the module's own symbol of that name; 0: it has none
};

class Imports {
 public:
  /// `code` must outlive this.
  explicit Imports(const ModuleCode& code);

  /// The import of the pointer at an address; null if the linker sets no pointer by name there.
  [[nodiscard]] const Import* at(std::uint64_t pointer) const;
  /// The same for the pointer of a stub (an entry of the procedure linkage table). Null if there is
  /// no stub at the address.
  [[nodiscard]] const Import* behind(std::uint64_t stub) const;
  /// Where a pointer in the module's own data points to within the module; 0: not known.
  [[nodiscard]] std::uint64_t target_of(std::uint64_t pointer) const;

 private:
  struct Table {
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
  };
  void read(const Table& relocations, std::uint64_t symbols, const Table& strings);

  const ModuleCode& code_;
  std::map<std::uint64_t, Import> imports_;  // by the pointer's address
  Table moved_;                              // relocations that have no name
};

}  // namespace ompdm::trace
