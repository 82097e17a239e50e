#include "trace/symbols.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <unordered_map>

#include "trace/dwarf_place.h"
#include "trace/offload_names.h"
#include "trace/pointer_types.h"

// After dwarf_place.h, so that libelf's macros stay here.
#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>

namespace ompdm::trace {
namespace {

std::string build_id_of(Elf* elf) {
  constexpr char kDigits[] = "0123456789abcdef";
  const void* bytes = nullptr;
  const ssize_t size = dwelf_elf_gnu_build_id(elf, &bytes);
  std::string text;
  for (ssize_t i = 0; i < size; ++i) {
    const unsigned byte = static_cast<const unsigned char*>(bytes)[i];
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
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

// For modules whose own file is enough.
int find_nothing(Dwfl_Module*, void**, const char*, Dwarf_Addr, const char*, const char*, GElf_Word,
                 char**) {
  return -1;
}

bool is_of_the_system(const std::string& path) {
  for (const char* folder : {"/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/"}) {
    if (path.starts_with(folder)) return true;
  }
  return false;
}

int find_elf(Dwfl_Module*, void**, const char*, Dwarf_Addr, char**, Elf**) { return -1; }

}  // namespace

// One module in a session of its own: modules of one process may have had the same addresses at
// different times.
struct Symbols::Loaded {
  enum class State { kUsable, kMissing, kChanged };
  State state = State::kMissing;
  char* debuginfo_path = nullptr;
  Dwfl_Callbacks callbacks{find_elf, find_debuginfo, nullptr, &debuginfo_path};
  Dwfl* session = nullptr;
  Dwfl_Module* module = nullptr;
  std::unique_ptr<DwarfPlaces> dwarf;
  std::unique_ptr<FortranVariables> fortran_variables;
  std::unique_ptr<GlobalTypes> globals;
  std::unique_ptr<GlobalVariables> global_names;
  std::unique_ptr<ModuleCode> code;
  std::unordered_map<std::uint64_t, CodePlace> places;  // that were asked for

  explicit Loaded(bool has_separate) {
    if (!has_separate) callbacks.find_debuginfo = find_nothing;
  }
  Loaded(const Loaded&) = delete;
  Loaded& operator=(const Loaded&) = delete;
  ~Loaded() {
    dwarf.reset();
    if (session != nullptr) dwfl_end(session);
  }

  void open_module(const Module& wanted, std::int64_t recorded_at);
  [[nodiscard]] CodePlace look_up(std::uint64_t address) const;
};

void Symbols::Loaded::open_module(const Module& wanted, std::int64_t recorded_at) {
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
  if (same) dwarf = std::make_unique<DwarfPlaces>(module);
}

CodePlace Symbols::Loaded::look_up(std::uint64_t address) const {
  CodePlace place = dwarf->at(address);
  if (place.functions.empty()) {
    const char* symbol = dwfl_module_addrname(module, address);
    const std::string written = symbol == nullptr ? "" : written_function(symbol);
    if (!written.empty()) place.functions.push_back(demangle(written));
  }
  if (!place.functions.empty()) place.function = place.functions.front();
  return place;
}

const ModuleCode* Symbols::code(Index<Module> module) {
  if (!module || module.value >= modules_.size()) return nullptr;
  const Module& wanted = modules_[module.value];
  Loaded& loaded = load(wanted, !is_of_the_system(wanted.path));
  if (loaded.state != Loaded::State::kUsable) return nullptr;
  if (!loaded.code) {
    GElf_Addr bias = 0;
    loaded.code = std::make_unique<ModuleCode>(dwfl_module_getelf(loaded.module, &bias));
  }
  return loaded.code.get();
}

Declaration Symbols::fortran_variable(Index<Module> module, const std::string& fortran_module,
                                      const std::string& variable) {
  if (!module || module.value >= modules_.size()) return {};
  Loaded& loaded = load(modules_[module.value], true);
  if (loaded.state != Loaded::State::kUsable) return {};
  if (!loaded.fortran_variables) {
    loaded.fortran_variables = std::make_unique<FortranVariables>(loaded.module);
  }
  return loaded.fortran_variables->find(fortran_module, variable);
}

ItemDeclaration Symbols::item_at(Index<Module> module, std::uint64_t address,
                                 const std::string& expression) {
  if (!module || module.value >= modules_.size()) return {};
  const Loaded& loaded = load(modules_[module.value], true);
  if (loaded.state != Loaded::State::kUsable) return {};
  return loaded.dwarf->item_at(address, expression);
}

std::optional<bool> Symbols::global_holds_pointers(Index<Module> module, std::uint64_t address) {
  if (!module || module.value >= modules_.size()) return std::nullopt;
  Loaded& loaded = load(modules_[module.value], true);
  if (loaded.state != Loaded::State::kUsable) return std::nullopt;
  if (!loaded.globals) loaded.globals = std::make_unique<GlobalTypes>(loaded.module);
  return loaded.globals->holds_pointers(address);
}

const GlobalVariable* Symbols::global_at(Index<Module> module, std::uint64_t address) {
  if (!module || module.value >= modules_.size()) return nullptr;
  Loaded& loaded = load(modules_[module.value], true);
  if (loaded.state != Loaded::State::kUsable) return nullptr;
  if (!loaded.global_names) loaded.global_names = std::make_unique<GlobalVariables>(loaded.module);
  return loaded.global_names->at(address);
}

std::vector<DigestedFile> Symbols::digested_files(Index<Module> module,
                                                  const std::set<std::string>& names) {
  if (!module || module.value >= modules_.size()) return {};
  if (is_of_the_system(modules_[module.value].path)) return {};
  Loaded& loaded = load(modules_[module.value], true);
  if (loaded.state != Loaded::State::kUsable) return {};
  return digested_files_of(loaded.module, names);
}

Symbols::Symbols(const std::vector<Module>& modules, std::int64_t recorded_at)
    : modules_(modules), recorded_at_(recorded_at) {}

Symbols::~Symbols() = default;

// A library that is loaded again, wherever, is the same file.
Symbols::Loaded& Symbols::load(const Module& module, bool has_separate) {
  auto& loaded = loaded_[{module.path, module.build_id}];
  if (!loaded) {
    loaded = std::make_unique<Loaded>(has_separate);
    loaded->open_module(module, recorded_at_);
  }
  return *loaded;
}

const CodePlace& Symbols::look_up(Index<Module> module, std::uint64_t address, bool has_separate) {
  static const CodePlace kUnknown;
  if (!module || module.value >= modules_.size()) return kUnknown;
  Loaded& loaded = load(modules_[module.value], has_separate);
  if (loaded.state != Loaded::State::kUsable) return kUnknown;
  const auto [at, is_new] = loaded.places.try_emplace(address);
  if (is_new) at->second = loaded.look_up(address);
  return at->second;
}

const CodePlace& Symbols::at(Index<Module> module, std::uint64_t address) {
  return look_up(module, address, true);
}

const CodePlace& Symbols::caller_at(Index<Module> module, std::uint64_t address) {
  const bool known = module && module.value < modules_.size();
  return look_up(module, address, known && !is_of_the_system(modules_[module.value].path));
}

std::uint64_t Symbols::missing() const {
  std::uint64_t count = 0;
  for (const auto& [name, loaded] : loaded_) {
    if (loaded->state == Loaded::State::kMissing) ++count;
  }
  return count;
}

std::uint64_t Symbols::changed() const {
  std::uint64_t count = 0;
  for (const auto& [name, loaded] : loaded_) {
    if (loaded->state == Loaded::State::kChanged) ++count;
  }
  return count;
}

}  // namespace ompdm::trace
