#include "elf_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gelf.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <sstream>

#include "launch.h"

namespace ompdm::cli {

namespace fs = std::filesystem;

namespace {

// llvm/Object/OffloadBinary.h, version 1.
struct Header {
  unsigned char magic[4];
  std::uint32_t version;
  std::uint64_t size;
  std::uint64_t entry_offset;
  std::uint64_t entry_size;
};
struct Entry {
  std::uint16_t image_kind;
  std::uint16_t offload_kind;
  std::uint32_t flags;
  std::uint64_t string_offset;
  std::uint64_t string_count;
  std::uint64_t image_offset;
  std::uint64_t image_size;
};
struct StringEntry {
  std::uint64_t key_offset;
  std::uint64_t value_offset;
};
constexpr unsigned char kImageMagic[4] = {0x10, 0xFF, 0x10, 0xAD};

template <class Value>
std::optional<Value> value_at(std::string_view bytes, std::uint64_t offset) {
  if (offset > bytes.size() || sizeof(Value) > bytes.size() - offset) return std::nullopt;
  Value value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

std::string text_in(std::string_view bytes, std::uint64_t offset) {
  if (offset >= bytes.size()) return {};
  const std::string_view rest = bytes.substr(offset);
  return std::string(rest.substr(0, rest.find('\0')));
}

void read_strings(std::string_view binary, const Entry& entry, OffloadImage& image) {
  for (std::uint64_t i = 0; i < entry.string_count; ++i) {
    const auto pair = value_at<StringEntry>(binary, entry.string_offset + i * sizeof(StringEntry));
    if (!pair) return;
    const std::string key = text_in(binary, pair->key_offset);
    if (key == "triple") image.triple = text_in(binary, pair->value_offset);
    if (key == "arch") image.architecture = text_in(binary, pair->value_offset);
  }
}

class OpenElf {
 public:
  explicit OpenElf(const fs::path& path) : file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    elf_version(EV_CURRENT);
    if (file_.number >= 0) elf_ = elf_begin(file_.number, ELF_C_READ_MMAP, nullptr);
  }
  ~OpenElf() { elf_end(elf_); }
  OpenElf(const OpenElf&) = delete;
  OpenElf& operator=(const OpenElf&) = delete;

  [[nodiscard]] Elf* get() const { return elf_kind(elf_) == ELF_K_ELF ? elf_ : nullptr; }

 private:
  Descriptor file_;
  Elf* elf_ = nullptr;
};

std::string text_at(Elf* elf, std::size_t table, std::size_t offset) {
  const char* text = elf_strptr(elf, table, offset);
  return text != nullptr ? text : "";
}

std::string_view bytes_of(Elf_Scn* section) {
  const Elf_Data* data = elf_rawdata(section, nullptr);
  if (data == nullptr || data->d_buf == nullptr) return {};
  return {static_cast<const char*>(data->d_buf), data->d_size};
}

void read_interpreter(Elf* elf, ElfFile& file) {
  std::size_t count = 0;
  if (elf_getphdrnum(elf, &count) != 0) return;
  std::size_t size = 0;
  const char* image = elf_rawfile(elf, &size);
  for (std::size_t i = 0; i < count; ++i) {
    GElf_Phdr header;
    if (gelf_getphdr(elf, static_cast<int>(i), &header) == nullptr) continue;
    if (header.p_type != PT_INTERP || image == nullptr) continue;
    if (header.p_offset >= size || header.p_filesz > size - header.p_offset) continue;
    const std::string_view text(image + header.p_offset, header.p_filesz);
    file.interpreter = text.substr(0, text.find('\0'));
  }
}

void read_dynamic(Elf* elf, Elf_Scn* section, const GElf_Shdr& header, ElfFile& file) {
  file.dynamic = true;
  GElf_Ehdr elf_header;
  bool is_program = gelf_getehdr(elf, &elf_header) == nullptr || elf_header.e_type != ET_DYN ||
                    !file.interpreter.empty();
  Elf_Data* data = elf_getdata(section, nullptr);
  if (data == nullptr || header.sh_entsize == 0) return;
  std::string rpath;
  for (std::size_t i = 0; i < header.sh_size / header.sh_entsize; ++i) {
    GElf_Dyn entry;
    if (gelf_getdyn(data, static_cast<int>(i), &entry) == nullptr || entry.d_tag == DT_NULL) break;
    const auto text = [&] { return text_at(elf, header.sh_link, entry.d_un.d_val); };
    if (entry.d_tag == DT_NEEDED) file.needed.push_back(text());
    if (entry.d_tag == DT_SONAME) file.soname = text();
    if (entry.d_tag == DT_RUNPATH) file.run_path = text();
    if (entry.d_tag == DT_RPATH) rpath = text();
    if (entry.d_tag == DT_FLAGS_1) is_program |= (entry.d_un.d_val & DF_1_PIE) != 0;
  }
  file.is_library = !is_program;
  if (file.run_path.empty()) file.run_path = rpath;
}

/// Calls `look(name, is_defined_here)` with each symbol of a table.
template <class Look>
void for_each_symbol(Elf* elf, Elf_Scn* section, const GElf_Shdr& header, const Look& look) {
  Elf_Data* data = elf_getdata(section, nullptr);
  if (data == nullptr || header.sh_entsize == 0) return;
  for (std::size_t i = 0; i < header.sh_size / header.sh_entsize; ++i) {
    GElf_Sym symbol;
    if (gelf_getsym(data, static_cast<int>(i), &symbol) == nullptr) return;
    const char* name = elf_strptr(elf, header.sh_link, symbol.st_name);
    if (name != nullptr) look(std::string_view(name), symbol.st_shndx != SHN_UNDEF);
  }
}

void read_dynamic_symbol(std::string_view name, bool is_defined, ElfFile& file) {
  if (is_defined) {
    file.defines_tool |= name == "ompt_start_tool";
    file.connects_offload |= name == "ompt_libomp_connect";
  } else {
    // A program whose directives only transfer data has no table of kernels.
    file.offloads |= name.starts_with("__tgt_target_");
    file.opens_libraries |= name == "dlopen" || name == "dlmopen";
  }
}

bool is_number_above_zero(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos && text.front() != '0';
}

/// ";a[0:n];heat.cpp;41;30;;", which LLVM's compilers hand to the runtime where they know the line;
/// elsewhere ";unknown;unknown;0;0;;".
bool is_source_ident(std::string_view text) {
  constexpr std::string_view kEnd = ";;";
  if (!text.starts_with(';') || !text.ends_with(kEnd)) return false;
  text = text.substr(1, text.size() - std::min(text.size(), 1 + kEnd.size()));
  const std::size_t column = text.rfind(';');
  const std::string_view before = text.substr(0, column);
  const std::size_t line = before.rfind(';');
  if (column == text.npos || line == text.npos || before.find(';') == line) return false;
  return is_number_above_zero(before.substr(line + 1)) &&
         text.find_first_not_of("0123456789", column + 1) == text.npos;
}

/// Whether the strings of a section hold a place in the source.
bool has_place(std::string_view strings) {
  using namespace std::string_view_literals;
  constexpr std::string_view kEnd = ";;\0"sv;
  for (std::size_t at = 0; (at = strings.find(kEnd, at)) != strings.npos; at += kEnd.size()) {
    const std::size_t before = strings.rfind('\0', at);
    const std::size_t begin = before == strings.npos ? 0 : before + 1;
    if (is_source_ident(strings.substr(begin, at + 2 - begin))) return true;
  }
  return false;
}

void read_section(Elf* elf, Elf_Scn* section, std::string_view name, const GElf_Shdr& header,
                  ElfFile& file) {
  if (header.sh_type == SHT_DYNAMIC) {
    read_dynamic(elf, section, header, file);
  } else if (header.sh_type == SHT_DYNSYM) {
    for_each_symbol(elf, section, header, [&](std::string_view symbol, bool is_defined) {
      read_dynamic_symbol(symbol, is_defined, file);
    });
  } else if (header.sh_type == SHT_SYMTAB) {
    file.has_symbols = true;
    for_each_symbol(elf, section, header, [&](std::string_view symbol, bool is_defined) {
      file.has_target_regions |= is_defined && symbol.starts_with("__omp_offloading_");
    });
  } else if (name == ".debug_info" || name == ".zdebug_info") {
    file.has_debug_info = true;
  } else if (name.starts_with(".rodata")) {
    file.tells_names |= has_place(bytes_of(section));
  } else if (name == ".note.gnu.build-id") {
    constexpr std::size_t kBegin = 16;  // behind the head of the only note, named "GNU"
    const std::string_view note = bytes_of(section);
    for (const unsigned char byte : note.substr(std::min(kBegin, note.size()))) {
      file.build_id += fmt::format("{:02x}", byte);
    }
  } else if (name == "omp_offloading_entries" || name == "llvm_offload_entries") {
    file.offloads = true;
  } else if (name.starts_with(".gnu.offload_")) {
    file.has_gcc_offload = true;
  } else if (name == ".llvm.offloading") {
    file.offload_images = parse_offload_images(bytes_of(section));
  }
}

/// Calls `look(section, header, name)` with each.
template <class Look>
void for_each_section(Elf* elf, const Look& look) {
  std::size_t names = 0;
  if (elf == nullptr || elf_getshdrstrndx(elf, &names) != 0) return;
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf, section)) != nullptr;) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr) continue;
    look(section, header, text_at(elf, names, header.sh_name));
  }
}

/// The output of the loader's list of libraries, with LD_PRELOAD replaced if `preload` is given.
/// glibc's loader continues after a missing library when its variable asks for the list, and stops
/// with --list. Another loader may not know the variable, and would run the program.
std::string list(const std::string& loader, const std::string& program, const char* preload) {
  const bool is_glibc = fs::path(loader).filename().string().starts_with("ld-linux");
  Child child{{loader, program}, "."};
  if (is_glibc) {
    child.environment.emplace_back("LD_TRACE_LOADED_OBJECTS", "1");
  } else {
    child.command.insert(child.command.begin() + 1, "--list");
  }
  if (preload != nullptr) child.environment.emplace_back("LD_PRELOAD", preload);
  return run_child(child).output;
}

// "\tlibomp.so.5 => /usr/lib/libomp.so.5 (0x…)", "\tlibx.so => not found", "\t/path/liby.so (0x…)"
std::vector<LoadedLibrary> parse(const std::string& output) {
  std::vector<LoadedLibrary> libraries;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    const auto start = line.find_first_not_of("\t ");
    if (start == std::string::npos) continue;
    line.erase(0, start);
    if (const auto address = line.rfind(" (0x"); address != std::string::npos) line.erase(address);
    if (const auto arrow = line.find(" => "); arrow != std::string::npos) {
      const std::string path = line.substr(arrow + 4);
      libraries.push_back({line.substr(0, arrow), path == "not found" ? "" : path});
    } else {
      libraries.push_back({fs::path(line).filename(), line});
    }
  }
  return libraries;
}

fs::path search_folders(const std::string& folders, const std::string& name,
                        const fs::path& origin) {
  std::istringstream list(folders);
  for (std::string folder; std::getline(list, folder, ':');) {
    for (const std::string_view variable : {"$ORIGIN", "${ORIGIN}"}) {
      if (const auto at = folder.find(variable); at != std::string::npos) {
        folder.replace(at, variable.size(), origin.string());
      }
    }
    std::error_code error;
    if (!folder.empty() && fs::exists(fs::path(folder) / name, error)) return folder + "/" + name;
  }
  return {};
}

constexpr const char* kSelf = "/proc/self/exe";

/// The loader of this command. Empty if it has none.
std::string own_loader() {
  const auto elf = read_elf(kSelf);
  return elf ? elf->interpreter : "";
}

}  // namespace

std::vector<OffloadImage> parse_offload_images(std::string_view section) {
  std::vector<OffloadImage> images;
  while (true) {
    const auto header = value_at<Header>(section, 0);
    if (!header || std::memcmp(header->magic, kImageMagic, sizeof kImageMagic) != 0 ||
        header->version != 1 || header->size < sizeof(Header) || header->size > section.size()) {
      break;
    }
    const std::string_view binary = section.substr(0, header->size);
    const auto entry = value_at<Entry>(binary, header->entry_offset);
    if (!entry) break;
    OffloadImage image;
    read_strings(binary, *entry, image);
    const auto elf = value_at<Elf64_Ehdr>(binary, entry->image_offset);
    image.is_elf = elf && std::memcmp(elf->e_ident, ELFMAG, SELFMAG) == 0;
    if (image.is_elf) image.elf_flags = elf->e_flags;
    images.push_back(std::move(image));
    // Each binary is padded to 8 bytes; some linkers align the next one further.
    std::uint64_t next = (header->size + 7) / 8 * 8;
    while (next < section.size() && section[next] == '\0') next += 8;
    if (next >= section.size()) break;
    section.remove_prefix(next);
  }
  return images;
}

bool hides_its_architecture(const OffloadImage& image) {
  constexpr std::string_view kPrefix = "sm_";
  if (!image.is_elf || !image.architecture.starts_with(kPrefix)) return false;
  unsigned sm = 0;
  const char* const end = image.architecture.data() + image.architecture.size();
  if (std::from_chars(image.architecture.data() + kPrefix.size(), end, sm).ec != std::errc{}) {
    return false;
  }
  return (image.elf_flags & 0xffU) != sm;
}

std::string section_of(const fs::path& path, std::string_view name) {
  const OpenElf open(path);
  std::string text;
  for_each_section(open.get(), [&](Elf_Scn* section, const GElf_Shdr& header, const auto& its) {
    if (its == name && header.sh_type != SHT_NOBITS) text = bytes_of(section);
  });
  return text;
}

std::optional<ElfFile> read_elf(const fs::path& path) {
  const OpenElf open(path);
  Elf* elf = open.get();
  GElf_Ehdr elf_header;
  if (elf == nullptr || gelf_getehdr(elf, &elf_header) == nullptr) return std::nullopt;
  ElfFile file;
  file.machine = elf_header.e_machine;
  file.is_64_bit = gelf_getclass(elf) == ELFCLASS64;
  read_interpreter(elf, file);
  for_each_section(elf, [&](Elf_Scn* section, const GElf_Shdr& header, const std::string& name) {
    read_section(elf, section, name, header, file);
  });
  return file;
}

std::vector<LoadedLibrary> loaded_libraries(const fs::path& program,
                                            const std::string& interpreter) {
  const std::string loader = interpreter.empty() ? own_loader() : interpreter;
  std::error_code error;
  const fs::path absolute = fs::absolute(program, error);
  if (loader.empty() || error) return {};
  std::vector<LoadedLibrary> libraries = parse(list(loader, absolute, nullptr));
  for (auto& [name, path, file] : libraries) file = read_elf(path).value_or(ElfFile{});
  return libraries;
}

const LoadedLibrary* find_library(const std::vector<LoadedLibrary>& libraries,
                                  std::string_view prefix) {
  for (const LoadedLibrary& library : libraries) {
    if (library.name.starts_with(prefix)) return &library;
  }
  return nullptr;
}

fs::path search_library(const std::string& name) {
  // The loader searches for a bare name in LD_PRELOAD where dlopen would. The list is of this
  // command, whose own run path does not lead to an OpenMP runtime.
  const std::string loader = own_loader();
  std::error_code error;
  const fs::path self = fs::read_symlink(kSelf, error);
  if (loader.empty() || error) return {};
  for (const LoadedLibrary& library : parse(list(loader, self, name.c_str()))) {
    if (library.name == name) return library.path;
  }
  return {};
}

fs::path search_library_from(const std::string& name, const fs::path& caller) {
  const auto elf = read_elf(caller);
  for (const std::string& folders : {variable("LD_LIBRARY_PATH"), elf ? elf->run_path : ""}) {
    if (fs::path found = search_folders(folders, name, caller.parent_path()); !found.empty()) {
      return found;
    }
  }
  return search_library(name);
}

}  // namespace ompdm::cli
