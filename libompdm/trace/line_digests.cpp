#include "trace/line_digests.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <gelf.h>

#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

namespace ompdm::trace {
namespace {

struct Sections {
  std::string_view lines;         // .debug_line
  std::string_view line_strings;  // .debug_line_str
  std::string_view strings;       // .debug_str
};

Sections sections_of(Dwfl_Module* module) {
  Sections sections;
  Dwarf_Addr bias = 0;
  Dwarf* dwarf = dwfl_module_getdwarf(module, &bias);
  Elf* elf = dwarf == nullptr ? nullptr : dwarf_getelf(dwarf);
  std::size_t names = 0;
  if (elf == nullptr || elf_getshdrstrndx(elf, &names) != 0) return sections;
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf, section)) != nullptr;) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr || header.sh_type == SHT_NOBITS) continue;
    // libdw has inflated those that it knows.
    const char* name = elf_strptr(elf, names, header.sh_name);
    const Elf_Data* data = elf_rawdata(section, nullptr);
    if (name == nullptr || data == nullptr || data->d_buf == nullptr) continue;
    const std::string_view bytes(static_cast<const char*>(data->d_buf), data->d_size);
    if ((header.sh_flags & SHF_COMPRESSED) != 0) continue;
    if (std::string_view(name) == ".debug_line") sections.lines = bytes;
    if (std::string_view(name) == ".debug_line_str") sections.line_strings = bytes;
    if (std::string_view(name) == ".debug_str") sections.strings = bytes;
  }
  return sections;
}

/// Takes values from the begin of some bytes. Once they do not suffice it has none any more.
class ByteCursor {
 public:
  explicit ByteCursor(std::string_view bytes) : bytes_(bytes) {}

  [[nodiscard]] bool failed() const { return failed_; }
  std::string_view take(std::uint64_t size) {
    failed_ = failed_ || size > bytes_.size();
    if (failed_) return {};
    const std::string_view taken = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return taken;
  }
  std::uint64_t number(std::size_t size) {
    const std::string_view bytes = take(size);
    std::uint64_t value = 0;
    if (!bytes.empty()) std::memcpy(&value, bytes.data(), bytes.size());
    return value;
  }
  std::uint64_t leb() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const std::uint64_t byte = number(1);
      value |= (byte & 0x7f) << shift;
      if ((byte & 0x80) == 0) return value;
    }
    failed_ = true;
    return value;
  }
  std::string_view text() {
    const std::size_t size = bytes_.find('\0');
    failed_ = failed_ || size == std::string_view::npos;
    const std::string_view taken = take(failed_ ? 0 : size);
    take(1);
    return taken;
  }

 private:
  std::string_view bytes_;
  bool failed_ = false;
};

std::string_view text_at(std::string_view table, std::uint64_t offset) {
  if (offset >= table.size()) return {};
  const std::string_view rest = table.substr(offset);
  return rest.substr(0, rest.find('\0'));
}

struct Entry {
  std::string_view path;
  std::uint64_t folder = 0;
  std::string_view md5;
};

/// The tables of one unit: how its entries are written, and they.
class Tables {
 public:
  Tables(ByteCursor& cursor, std::size_t offset_size, const Sections& sections)
      : cursor_(cursor), offset_size_(offset_size), sections_(sections) {}

  /// Empty where it is damaged.
  std::vector<Entry> take() {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> columns(cursor_.number(1));
    for (auto& [content, form] : columns) {
      content = cursor_.leb();
      form = cursor_.leb();
    }
    const std::uint64_t count = cursor_.leb();
    std::vector<Entry> entries;
    if (columns.empty()) return entries;
    for (std::uint64_t i = 0; i < count && !cursor_.failed(); ++i) {
      Entry& entry = entries.emplace_back();
      for (const auto& [content, form] : columns) take(content, form, entry);
    }
    if (cursor_.failed()) entries.clear();
    return entries;
  }

 private:
  void take(std::uint64_t content, std::uint64_t form, Entry& entry) {
    std::string_view text;
    std::uint64_t number = 0;
    switch (form) {
      case DW_FORM_string:
        text = cursor_.text();
        break;
      case DW_FORM_line_strp:
        text = text_at(sections_.line_strings, cursor_.number(offset_size_));
        break;
      case DW_FORM_strp:
        text = text_at(sections_.strings, cursor_.number(offset_size_));
        break;
      case DW_FORM_data16:
        text = cursor_.take(16);
        break;
      case DW_FORM_block:
        cursor_.take(cursor_.leb());
        break;
      case DW_FORM_udata:
        number = cursor_.leb();
        break;
      case DW_FORM_data1:
        number = cursor_.number(1);
        break;
      case DW_FORM_data2:
        number = cursor_.number(2);
        break;
      case DW_FORM_data4:
        number = cursor_.number(4);
        break;
      case DW_FORM_data8:
        number = cursor_.number(8);
        break;
      default:
        cursor_.take(~std::uint64_t{0});  // what follows is not known
    }
    if (content == DW_LNCT_path) entry.path = text;
    if (content == DW_LNCT_directory_index) entry.folder = number;
    if (content == DW_LNCT_MD5 && form == DW_FORM_data16) entry.md5 = text;
  }

  ByteCursor& cursor_;
  std::size_t offset_size_;
  const Sections& sections_;
};

std::string hex_of(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const char byte : bytes) {
    text += kDigits[static_cast<unsigned char>(byte) >> 4];
    text += kDigits[static_cast<unsigned char>(byte) & 15];
  }
  return text;
}

std::string joined(std::string_view folder, std::string_view path) {
  if (folder.empty() || path.starts_with('/')) return std::string(path);
  return std::string(folder) + '/' + std::string(path);
}

/// One unit's, from behind its length on.
void add_unit(ByteCursor unit, std::size_t offset_size, const Sections& sections,
              const std::set<std::string>& names, std::vector<DigestedFile>& files) {
  if (unit.number(2) != 5) return;  // older versions have no digests
  unit.take(2 + offset_size + 5);   // sizes, and how the program's numbers are to be understood
  const std::uint64_t opcodes = unit.number(1);
  unit.take(opcodes == 0 ? 0 : opcodes - 1);
  Tables tables(unit, offset_size, sections);
  const std::vector<Entry> folders = tables.take();
  if (folders.empty()) return;
  const std::string_view directory = folders.front().path;
  for (const Entry& file : tables.take()) {
    if (file.md5.empty() || file.folder >= folders.size()) continue;
    if (!names.contains(std::string(file.path.substr(file.path.rfind('/') + 1)))) continue;
    files.push_back(
        {std::string(directory), joined(folders[file.folder].path, file.path), hex_of(file.md5)});
  }
}

}  // namespace

std::vector<DigestedFile> digested_files_of(Dwfl_Module* module,
                                            const std::set<std::string>& names) {
  const Sections sections = sections_of(module);
  std::vector<DigestedFile> files;
  for (ByteCursor cursor(sections.lines); !cursor.failed();) {
    constexpr std::uint64_t k64Bit = 0xffffffff;
    std::uint64_t length = cursor.number(4);
    const std::size_t offset_size = length == k64Bit ? 8 : 4;
    if (length == k64Bit) length = cursor.number(8);
    const std::string_view unit = cursor.take(length);
    if (!cursor.failed()) add_unit(ByteCursor(unit), offset_size, sections, names, files);
  }
  return files;
}

}  // namespace ompdm::trace
