#include "symbols/symbols.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <gelf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <span>
#include <string_view>
#include <unordered_map>

#include "spool_reader/draft.h"
#include "symbols/symbol_names.h"

namespace ompdm::trace {

namespace {

bool is_named(const std::string& path, std::initializer_list<const char*> beginnings) {
  const std::string name = path.substr(path.rfind('/') + 1);
  return std::ranges::any_of(beginnings,
                             [&](const char* beginning) { return name.starts_with(beginning); });
}

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

/// Takes one field of an entry.
void take_field(ByteCursor& cursor, std::size_t offset_size, const Sections& sections,
                std::uint64_t content, std::uint64_t form, Entry& entry) {
  static const std::map<std::uint64_t, std::size_t> kSizes = {
      {DW_FORM_data1, 1}, {DW_FORM_data2, 2}, {DW_FORM_data4, 4}, {DW_FORM_data8, 8}};
  std::string_view text;
  std::uint64_t number = 0;
  if (form == DW_FORM_string) {
    text = cursor.text();
  } else if (form == DW_FORM_line_strp || form == DW_FORM_strp) {
    const bool is_of_lines = form == DW_FORM_line_strp;
    text =
        text_at(is_of_lines ? sections.line_strings : sections.strings, cursor.number(offset_size));
  } else if (form == DW_FORM_data16) {
    text = cursor.take(16);
  } else if (form == DW_FORM_block) {
    cursor.take(cursor.leb());
  } else if (form == DW_FORM_udata) {
    number = cursor.leb();
  } else if (const auto size = kSizes.find(form); size != kSizes.end()) {
    number = cursor.number(size->second);
  } else {
    cursor.take(~std::uint64_t{0});  // the size of what follows is not known
  }
  if (content == DW_LNCT_path) entry.path = text;
  if (content == DW_LNCT_directory_index) entry.folder = number;
  if (content == DW_LNCT_MD5 && form == DW_FORM_data16) entry.md5 = text;
}

/// One table of a unit: the form of its entries, and they. Empty where it is damaged.
std::vector<Entry> take_table(ByteCursor& cursor, std::size_t offset_size,
                              const Sections& sections) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> columns(cursor.number(1));
  for (auto& [content, form] : columns) {
    content = cursor.leb();
    form = cursor.leb();
  }
  const std::uint64_t count = cursor.leb();
  std::vector<Entry> entries;
  for (std::uint64_t i = 0; !columns.empty() && i < count && !cursor.failed(); ++i) {
    Entry& entry = entries.emplace_back();
    for (const auto& [content, form] : columns) {
      take_field(cursor, offset_size, sections, content, form, entry);
    }
  }
  if (cursor.failed()) entries.clear();
  return entries;
}

/// One unit's, from behind its length on.
void add_unit(ByteCursor unit, std::size_t offset_size, const Sections& sections,
              const std::set<std::string>& names, std::vector<DigestedFile>& files) {
  if (unit.number(2) != 5) return;  // older versions have no digests
  unit.take(2 + offset_size + 5);   // sizes, and how the program's numbers are to be understood
  const std::uint64_t opcodes = unit.number(1);
  unit.take(opcodes == 0 ? 0 : opcodes - 1);
  const std::vector<Entry> folders = take_table(unit, offset_size, sections);
  if (folders.empty()) return;
  const std::string_view directory = folders.front().path;
  for (const Entry& file : take_table(unit, offset_size, sections)) {
    if (file.md5.empty() || file.folder >= folders.size()) continue;
    if (!names.contains(std::string(file.path.substr(file.path.rfind('/') + 1)))) continue;
    files.push_back({std::string(directory),
                     (std::filesystem::path(folders[file.folder].path) / file.path).string(),
                     hex_of(std::as_bytes(std::span(file.md5)))});
  }
}

/// Those whose names, without their folders, are among these. Damaged units are left out.
std::vector<DigestedFile> digested_files_of(Dwfl_Module* module,
                                            const std::set<std::string>& names) {
  if (module == nullptr) return {};
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

std::string build_id_of(Elf* elf) {
  const void* bytes = nullptr;
  const ssize_t size = dwelf_elf_gnu_build_id(elf, &bytes);
  return size <= 0 ? "" : hex_of({static_cast<const std::byte*>(bytes), std::size_t(size)});
}

int open_regular(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat status{};
  if (fd >= 0 && (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))) {
    close(fd);
    return -1;
  }
  return fd;
}

// Separate debug information: by build-id, then by the name in .gnu_debuglink beside the module.
// libdw's own search would ask debuginfod servers too.
int find_debuginfo(Dwfl_Module* module, void** data, const char* name, Dwarf_Addr base,
                   const char* file, const char* debuglink, GElf_Word crc, char** found) {
  const int fd =
      dwfl_build_id_find_debuginfo(module, data, name, base, file, debuglink, crc, found);
  if (fd >= 0 || file == nullptr || debuglink == nullptr) return fd;
  const std::string path(file);
  const std::string folder = path.substr(0, path.rfind('/') + 1);
  for (const std::string& place : {folder, folder + ".debug/", "/usr/lib/debug" + folder}) {
    // A stripped module's link may name the module itself.
    if (place + debuglink == path) continue;
    const int linked = open_regular(place + debuglink);
    if (linked >= 0) return linked;
  }
  return -1;
}

}  // namespace

bool is_runtime_library(const std::string& path) {
  return is_named(path, {"libomp.so", "libomp5", "libomp-", "libomptarget", "libiomp5"});
}

bool is_system_library(const std::string& path) {
  return is_named(path, {"libc.so", "libc-", "libpthread", "ld-linux"});
}

// A module in a session of its own: modules of one process may have had the same addresses at
// different times.
struct Symbols::Loaded {
  enum class State { kUsable, kMissing, kChanged };
  State state = State::kMissing;
  char* debuginfo_path = nullptr;
  Dwfl_Callbacks callbacks{[](auto...) { return -1; }, find_debuginfo, nullptr, &debuginfo_path};
  Dwfl* session = nullptr;
  Dwfl_Module* module = nullptr;          // null: its file cannot be used
  std::unique_ptr<DebugInfo> debug_info;  // never null
  std::unique_ptr<ModuleCode> code;
  std::unordered_map<std::uint64_t, CodePlace> places;  // that were asked for

  Loaded(const Module& wanted, std::int64_t recorded_at, bool has_separate) {
    // Of some modules their own file is enough.
    if (!has_separate) callbacks.find_debuginfo = [](auto...) { return -1; };
    open_module(wanted, recorded_at);
    if (state != State::kUsable) module = nullptr;
    debug_info = std::make_unique<DebugInfo>(module);
  }
  Loaded(const Loaded&) = delete;
  Loaded& operator=(const Loaded&) = delete;
  ~Loaded() {
    if (session != nullptr) dwfl_end(session);
  }

  void open_module(const Module& wanted, std::int64_t recorded_at) {
    const int fd = open_regular(wanted.path);
    if (fd < 0) return;
    struct stat status{};
    fstat(fd, &status);
    session = dwfl_begin(&callbacks);
    if (session != nullptr) {
      // Base 0 relative to the program headers: addresses are file addresses.
      module = dwfl_report_elf(session, wanted.path.c_str(), wanted.path.c_str(), fd, 0, true);
    }
    if (module == nullptr) {
      close(fd);
      return;
    }
    dwfl_report_end(session, nullptr, nullptr);
    GElf_Addr bias = 0;
    Elf* elf = dwfl_module_getelf(module, &bias);
    if (elf == nullptr) return;
    const std::int64_t modified =
        std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
    const bool same =
        wanted.build_id.empty() ? modified <= recorded_at : build_id_of(elf) == wanted.build_id;
    state = same ? State::kUsable : State::kChanged;
  }

  const CodePlace& at(std::uint64_t address) {
    const auto [known, is_new] = places.try_emplace(address);
    CodePlace& place = known->second;
    if (!is_new || module == nullptr) return place;
    place = debug_info->at(address);
    if (place.functions.empty()) {
      const char* symbol = dwfl_module_addrname(module, address);
      const std::string written = symbol == nullptr ? "" : written_function(symbol);
      if (!written.empty()) place.functions.push_back(demangle(written));
    }
    if (!place.functions.empty()) place.function = place.functions.front();
    return place;
  }
};

Symbols::Symbols(const std::vector<Module>& modules, std::int64_t recorded_at)
    : modules_(modules), recorded_at_(recorded_at) {}

Symbols::~Symbols() = default;

bool Symbols::is_of_the_system(Index<Module> module) const {
  if (!module || module.value >= modules_.size()) return false;
  const std::string& path = modules_[module.value].path;
  return std::ranges::any_of(
      std::initializer_list<const char*>{"/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/"},
      [&](const char* folder) { return path.starts_with(folder); });
}

// A library that is loaded again, wherever, is the same file.
Symbols::Loaded& Symbols::load(Index<Module> module, bool has_separate) {
  const bool is_known = module && module.value < modules_.size();
  const Module wanted = is_known ? modules_[module.value] : Module{};
  auto& loaded = is_known ? loaded_[{wanted.path, wanted.build_id}] : none_;
  if (!loaded) {
    loaded = std::make_unique<Loaded>(wanted, recorded_at_, has_separate);
    missing_ += is_known && loaded->state == Loaded::State::kMissing ? 1 : 0;
    changed_ += loaded->state == Loaded::State::kChanged ? 1 : 0;
  }
  return *loaded;
}

const CodePlace& Symbols::at(Index<Module> module, std::uint64_t address) {
  return load(module).at(address);
}

const CodePlace& Symbols::caller_at(Index<Module> module, std::uint64_t address) {
  return load(module, !is_of_the_system(module)).at(address);
}

const ModuleCode* Symbols::code(Index<Module> module) {
  Loaded& loaded = load(module, !is_of_the_system(module));
  if (loaded.module == nullptr) return nullptr;
  if (!loaded.code) {
    GElf_Addr bias = 0;
    loaded.code = std::make_unique<ModuleCode>(dwfl_module_getelf(loaded.module, &bias));
  }
  return loaded.code.get();
}

Declaration Symbols::fortran_variable(Index<Module> module, const std::string& fortran_module,
                                      const std::string& variable) {
  return load(module).debug_info->fortran_variable(fortran_module, variable);
}

ItemDeclaration Symbols::item_at(Index<Module> module, std::uint64_t address,
                                 const std::string& expression) {
  return load(module).debug_info->item_at(address, expression);
}

const GlobalVariable* Symbols::global_at(Index<Module> module, std::uint64_t address) {
  return load(module).debug_info->global_at(address);
}

std::vector<DigestedFile> Symbols::digested_files(Index<Module> module,
                                                  const std::set<std::string>& names) {
  if (is_of_the_system(module)) return {};
  return digested_files_of(load(module).module, names);
}

std::vector<CompileUnit> Symbols::compile_units(Index<Module> module) {
  if (is_of_the_system(module)) return {};
  std::vector<CompileUnit> units = load(module).debug_info->compile_units();
  const auto whole = [](const std::string& directory, const std::string& path) {
    return (std::filesystem::path(directory) / path).lexically_normal().string();
  };
  std::set<std::string> names;
  for (const CompileUnit& unit : units) {
    for (const CompiledFile& file : unit.files) {
      names.insert(std::filesystem::path(file.path).filename().string());
    }
  }
  std::map<std::pair<std::string, std::string>, std::set<std::string>> digests;
  for (const DigestedFile& file : digested_files(module, names)) {
    digests[{file.directory, whole(file.directory, file.path)}].insert(file.md5);
  }
  for (CompileUnit& unit : units) {
    for (CompiledFile& file : unit.files) {
      const auto known = digests.find({unit.directory, whole(unit.directory, file.path)});
      if (known != digests.end()) file.md5s = known->second;
    }
  }
  return units;
}

}  // namespace ompdm::trace

namespace ompdm {

std::vector<CompileUnit> compile_units(const Trace& trace) {
  std::set<std::uint32_t> modules;
  for (const Site& site : trace.sites) modules.insert(site.module.value);
  for (const CallPlace& place : trace.call_places) modules.insert(place.module.value);
  trace::Symbols symbols(trace.modules, trace.process.start_realtime_ns);
  std::vector<CompileUnit> units;
  for (const std::uint32_t module : modules) {
    std::ranges::move(symbols.compile_units({module}), std::back_inserter(units));
  }
  return units;
}

}  // namespace ompdm
