#include "machine_code/module_code.h"

#include <elf.h>
#include <gelf.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <ranges>

namespace ompdm::trace {

namespace {

// Encodings of pointers in unwinding tables (Linux Standard Base, Core, 10.5.1).
constexpr std::uint8_t kUnsigned4 = 0x03;
constexpr std::uint8_t kSigned4 = 0x0b;
constexpr std::uint8_t kPcRelativeSigned4 = 0x1b;
constexpr std::uint8_t kHeaderRelativeSigned4 = 0x3b;
constexpr std::uint8_t kFormat = 0x0f;
constexpr std::uint8_t kOmitted = 0xff;

constexpr std::uint64_t kRowBytes = 8;

}  // namespace

ModuleCode::ModuleCode(Elf* elf) {
  GElf_Ehdr header;
  std::size_t count = 0;
  if (elf == nullptr || gelf_getclass(elf) != ELFCLASS64 || gelf_getehdr(elf, &header) == nullptr ||
      header.e_ident[EI_DATA] != ELFDATA2LSB || elf_getphdrnum(elf, &count) != 0) {
    return;
  }
  std::optional<std::uint64_t> table;
  for (int i = 0; i < static_cast<int>(count); ++i) {
    GElf_Phdr segment;
    if (gelf_getphdr(elf, i, &segment) == nullptr) continue;
    if (segment.p_type == PT_GNU_EH_FRAME) table = segment.p_vaddr;
    if (segment.p_type == PT_DYNAMIC) dynamic_ = segment.p_vaddr;
    if (segment.p_type != PT_LOAD || segment.p_filesz == 0) continue;
    const Elf_Data* data = elf_getdata_rawchunk(elf, static_cast<std::int64_t>(segment.p_offset),
                                                segment.p_filesz, ELF_T_BYTE);
    if (data == nullptr) continue;
    segments_.push_back(
        {segment.p_vaddr, {static_cast<const std::byte*>(data->d_buf), data->d_size}});
  }
  if (table) find_table(*table);
}

std::span<const std::byte> ModuleCode::bytes(std::uint64_t address, std::uint64_t size) const {
  for (const Segment& segment : segments_) {
    const std::uint64_t offset = address - segment.address;
    if (offset >= segment.bytes.size()) continue;
    if (size > segment.bytes.size() - offset) return {};
    return segment.bytes.subspan(offset, size);
  }
  return {};
}

// Only of the form that linkers write.
void ModuleCode::find_table(std::uint64_t address) {
  // A version, and the encodings of the frames' address, of the count and of the rows.
  constexpr std::array<std::uint8_t, 4> kForm = {1, kPcRelativeSigned4, kUnsigned4,
                                                 kHeaderRelativeSigned4};
  const auto count = read<std::uint32_t>(address + 8);
  if (read<std::array<std::uint8_t, 4>>(address) != kForm || !count) return;
  if (bytes(address + 12, std::uint64_t{*count} * kRowBytes).empty()) return;
  header_ = address;
  table_ = address + 12;
  rows_ = *count;
}

std::optional<std::uint64_t> ModuleCode::location_of(std::uint64_t row) const {
  const auto offset = read<std::int32_t>(table_ + row * kRowBytes);
  if (!offset) return std::nullopt;
  return header_ + static_cast<std::uint64_t>(std::int64_t{*offset});
}

/// How the entries that share `common_entry` (a CIE) give a function's begin and size.
std::uint8_t ModuleCode::encoding_of(std::uint64_t common_entry) const {
  std::uint64_t at = common_entry + 4 + 4;
  const std::uint8_t version = read<std::uint8_t>(at++).value_or(0);
  constexpr std::uint64_t kLongest = 16;
  const std::uint64_t letters = at;
  while (at - letters < kLongest && read<std::uint8_t>(at).value_or(0) != 0) ++at;
  const std::uint64_t letters_end = at++;
  const auto skip_number = [&] {  // LEB128
    while ((read<std::uint8_t>(at++).value_or(0) & 0x80U) != 0) {
    }
  };
  if (read<std::uint8_t>(letters) != 'z') return 0;  // an address of 8 bytes
  skip_number();                                     // code alignment
  skip_number();                                     // data alignment
  version == 1 ? void(++at) : skip_number();         // register of the return address
  skip_number();                                     // bytes that the letters have
  for (std::uint64_t letter = letters + 1; letter < letters_end; ++letter) {
    switch (read<std::uint8_t>(letter).value_or(0)) {
      case 'R':
        return read<std::uint8_t>(at).value_or(kOmitted);
      case 'L':
        ++at;
        break;
      case 'P': {
        const std::uint8_t format = read<std::uint8_t>(at++).value_or(0) & kFormat;
        at += format == kUnsigned4 || format == kSigned4 ? 4 : 8;
        break;
      }
      default:
        break;  // no bytes of its own
    }
  }
  return 0;
}

/// Bytes of the function that an entry (an FDE) is of; 0 if that cannot be read.
std::uint64_t ModuleCode::size_of(std::uint64_t entry) const {
  const auto length = read<std::uint32_t>(entry);
  const auto back = read<std::uint32_t>(entry + 4);
  if (!length || *length == 0 || *length == 0xffffffff || !back || *back == 0) return 0;
  const std::uint8_t encoding = encoding_of(entry + 4 - *back);
  if (encoding == kOmitted) return 0;
  const std::uint8_t format = encoding & kFormat;
  if (format == kUnsigned4 || format == kSigned4) {
    return read<std::uint32_t>(entry + 8 + 4).value_or(0);
  }
  return read<std::uint64_t>(entry + 8 + 8).value_or(0);
}

std::optional<CodeRange> ModuleCode::function_at(std::uint64_t address) const {
  const auto rows = std::views::iota(std::uint32_t{0}, rows_);
  const auto above = std::ranges::partition_point(rows, [&](std::uint32_t row) {
    const auto location = location_of(row);
    return location && *location <= address;
  });
  if (above == rows.begin()) return std::nullopt;
  const auto row = static_cast<std::uint64_t>(above - rows.begin()) - 1;
  const auto begin = location_of(row);
  const auto entry = read<std::int32_t>(table_ + row * kRowBytes + 4);
  if (!begin || !entry) return std::nullopt;
  const std::uint64_t size = size_of(header_ + static_cast<std::uint64_t>(std::int64_t{*entry}));
  if (address - *begin >= size) return std::nullopt;
  return CodeRange{*begin, *begin + size};
}

namespace {

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
    const auto row = code.read<Elf64_Dyn>(at);
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
    const auto symbol = code_.read<Elf64_Sym>(symbols + number * sizeof(Elf64_Sym));
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
  if (code_.read<std::uint32_t>(stub) == kEndbr64) stub += sizeof(kEndbr64);
  constexpr std::uint8_t kBnd = 0xf2;
  if (code_.read<std::uint8_t>(stub) == kBnd) ++stub;
  constexpr std::uint16_t kJumpByPointer = 0x25ff;  // its address is relative to what follows
  const auto distance = code_.read<std::int32_t>(stub + sizeof(kJumpByPointer));
  if (code_.read<std::uint16_t>(stub) != kJumpByPointer || !distance) return nullptr;
  const std::uint64_t next = stub + sizeof(kJumpByPointer) + sizeof(*distance);
  return at(next + static_cast<std::uint64_t>(std::int64_t{*distance}));
}

std::uint64_t Imports::target_of(std::uint64_t pointer) const {
  const std::uint64_t there = code_.read<std::uint64_t>(pointer).value_or(0);
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
