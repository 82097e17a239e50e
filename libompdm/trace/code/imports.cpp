#include "trace/code/imports.h"

#include <elf.h>

#include <cstring>
#include <optional>

namespace ompdm::trace {
namespace {

template <class Value>
std::optional<Value> value_at(const ModuleCode& code, std::uint64_t address) {
  const auto bytes = code.bytes(address, sizeof(Value));
  if (bytes.empty()) return std::nullopt;
  Value value{};
  std::memcpy(&value, bytes.data(), sizeof(value));
  return value;
}

/// Calls `take` with each row of a table of them.
template <class Row, class Take>
void each_row(std::span<const std::byte> table, Take&& take) {
  for (std::size_t at = 0; at + sizeof(Row) <= table.size(); at += sizeof(Row)) {
    Row row{};
    std::memcpy(&row, table.data() + at, sizeof(row));
    take(row);
  }
}

}  // namespace

Imports::Imports(const ModuleCode& code) : code_(code) {
  Table by_stubs;
  Table strings;
  std::uint64_t symbols = 0;
  for (std::uint64_t at = code.dynamic_table(); at != 0; at += sizeof(Elf64_Dyn)) {
    const auto row = value_at<Elf64_Dyn>(code, at);
    if (!row || row->d_tag == DT_NULL) break;
    const std::uint64_t value = row->d_un.d_val;
    if (row->d_tag == DT_JMPREL) by_stubs.address = value;
    if (row->d_tag == DT_PLTRELSZ) by_stubs.bytes = value;
    if (row->d_tag == DT_RELA) moved_.address = value;
    if (row->d_tag == DT_RELASZ) moved_.bytes = value;
    if (row->d_tag == DT_STRTAB) strings.address = value;
    if (row->d_tag == DT_STRSZ) strings.bytes = value;
    if (row->d_tag == DT_SYMTAB) symbols = value;
  }
  read(by_stubs, symbols, strings);
  read(moved_, symbols, strings);
}

void Imports::read(const Table& relocations, std::uint64_t symbols, const Table& strings) {
  const auto names = code_.bytes(strings.address, strings.bytes);
  if (names.empty() || names.back() != std::byte{0}) return;
  each_row<Elf64_Rela>(code_.bytes(relocations.address, relocations.bytes), [&](Elf64_Rela row) {
    const std::uint64_t number = ELF64_R_SYM(row.r_info);
    if (number == 0) return;
    const auto symbol = value_at<Elf64_Sym>(code_, symbols + number * sizeof(Elf64_Sym));
    if (!symbol || symbol->st_name >= names.size()) return;
    const char* name = reinterpret_cast<const char*>(names.data()) + symbol->st_name;
    imports_[row.r_offset] = {name, symbol->st_shndx == SHN_UNDEF ? 0 : symbol->st_value};
  });
}

const Import* Imports::at(std::uint64_t pointer) const {
  const auto found = imports_.find(pointer);
  return found == imports_.end() ? nullptr : &found->second;
}

const Import* Imports::behind(std::uint64_t stub) const {
  constexpr std::uint32_t kEndbr64 = 0xfa1e0ff3;
  if (value_at<std::uint32_t>(code_, stub) == kEndbr64) stub += sizeof(kEndbr64);
  constexpr std::uint8_t kBnd = 0xf2;
  if (value_at<std::uint8_t>(code_, stub) == kBnd) ++stub;
  constexpr std::uint16_t kJumpByPointer = 0x25ff;  // its address is relative to what follows
  const auto distance = value_at<std::int32_t>(code_, stub + sizeof(kJumpByPointer));
  if (value_at<std::uint16_t>(code_, stub) != kJumpByPointer || !distance) return nullptr;
  const std::uint64_t next = stub + sizeof(kJumpByPointer) + sizeof(*distance);
  return at(next + static_cast<std::uint64_t>(std::int64_t{*distance}));
}

std::uint64_t Imports::target_of(std::uint64_t pointer) const {
  const std::uint64_t there = value_at<std::uint64_t>(code_, pointer).value_or(0);
  if (there != 0) return there;
  // The linker moves what it finds in the relocation, not in the data.
  std::uint64_t target = 0;
  each_row<Elf64_Rela>(code_.bytes(moved_.address, moved_.bytes), [&](const Elf64_Rela& row) {
    if (row.r_offset == pointer && ELF64_R_TYPE(row.r_info) == R_X86_64_RELATIVE) {
      target = static_cast<std::uint64_t>(row.r_addend);
    }
  });
  return target;
}

}  // namespace ompdm::trace
