#include "diagnosis.h"

#include <elf.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <iterator>
#include <optional>

#include "attach.h"
#include "printable.h"

namespace ompdm::cli {

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
constexpr unsigned char kMagic[4] = {0x10, 0xFF, 0x10, 0xAD};

template <class Value>
std::optional<Value> value_at(std::string_view bytes, std::uint64_t offset) {
  if (offset > bytes.size() || sizeof(Value) > bytes.size() - offset) return std::nullopt;
  Value value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

std::string text_at(std::string_view bytes, std::uint64_t offset) {
  if (offset >= bytes.size()) return {};
  const std::string_view rest = bytes.substr(offset);
  return std::string(rest.substr(0, rest.find('\0')));
}

void read_strings(std::string_view binary, const Entry& entry, OffloadImage& image) {
  for (std::uint64_t i = 0; i < entry.string_count; ++i) {
    const auto pair = value_at<StringEntry>(binary, entry.string_offset + i * sizeof(StringEntry));
    if (!pair) return;
    const std::string key = text_at(binary, pair->key_offset);
    if (key == "triple") image.triple = text_at(binary, pair->value_offset);
    if (key == "arch") image.architecture = text_at(binary, pair->value_offset);
  }
}

void read_elf_header(std::string_view binary, const Entry& entry, OffloadImage& image) {
  const auto header = value_at<Elf64_Ehdr>(binary, entry.image_offset);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return;
  image.is_elf = true;
  image.elf_flags = header->e_flags;
}

}  // namespace

std::vector<OffloadImage> parse_offload_images(std::string_view section) {
  std::vector<OffloadImage> images;
  while (true) {
    const auto header = value_at<Header>(section, 0);
    if (!header || std::memcmp(header->magic, kMagic, sizeof kMagic) != 0) break;
    if (header->version != 1 || header->size < sizeof(Header) || header->size > section.size()) {
      break;
    }
    const std::string_view binary = section.substr(0, header->size);
    const auto entry = value_at<Entry>(binary, header->entry_offset);
    if (!entry) break;
    OffloadImage image;
    read_strings(binary, *entry, image);
    read_elf_header(binary, *entry, image);
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

namespace {

using Level = Finding::Level;

}  // namespace

Finding examine_names(const ElfFile& code) {
  if (code.has_debug_info) return {Level::kOk, "debug information: lines and variable names", ""};
  if (code.tells_names) {
    return {Level::kOk,
            "no debug information is left, but the code itself tells lines and variable names", ""};
  }
  return {Level::kWarn,
          code.has_symbols
              ? "no debug information: functions and lines, but no files and no variable names"
              : "stripped, and built without -g: no files and no variable names",
          "build it with -g (any optimisation level) to get them"};
}

namespace {

/// Images that differ in their architecture alone: what holds for one holds for all.
struct Images {
  OffloadImage first;
  std::vector<std::string> architectures;
};

std::vector<Images> group(const std::vector<OffloadImage>& images) {
  std::vector<Images> groups;
  for (const OffloadImage& image : images) {
    auto same = std::ranges::find_if(groups, [&](const Images& other) {
      return other.first.triple == image.triple &&
             hides_its_architecture(other.first) == hides_its_architecture(image);
    });
    if (same == groups.end()) same = groups.insert(same, {image, {}});
    if (std::ranges::find(same->architectures, image.architecture) == same->architectures.end()) {
      same->architectures.push_back(image.architecture);
    }
  }
  return groups;
}

Finding examine_image(const Images& images, int major) {
  const OffloadImage& image = images.first;
  const std::string architectures = fmt::format("{}", fmt::join(images.architectures, ", "));
  const std::string name =
      architectures.empty() ? image.triple : image.triple + ' ' + architectures;
  if (image.triple.starts_with("nvptx")) {
    if (hides_its_architecture(image) && major < 22) {
      return {Level::kNo,
              fmt::format("image for {} was assembled by CUDA 13's tools, whose e_flags {:#x} LLVM "
                          "before 22 does not understand: it will count no device",
                          name, image.elf_flags),
              "build it again with --cuda-path= naming a CUDA 12: ptxas and nvlink both count"};
    }
    if (search_library("libcuda.so").empty()) {
      return {Level::kNo,
              fmt::format("image for {}, but no libcuda.so: regions will run on the host", name),
              "run it where an NVIDIA driver is, or add its folder to LD_LIBRARY_PATH"};
    }
  } else if (image.triple.starts_with("amdgcn") &&
             search_library("libhsa-runtime64.so.1").empty()) {
    return {Level::kNo, fmt::format("image for {}, but no libhsa-runtime64.so.1", name),
            "run it where ROCm is installed"};
  }
  return {Level::kOk, "image for " + name, ""};
}

}  // namespace

Findings examine_images(const std::vector<OffloadImage>& images, int major) {
  Findings findings;
  bool runs = images.empty();
  bool on_host = false;
  bool on_gpu = false;
  for (const Images& same : group(images)) {
    findings.push_back(examine_image(same, major));
    const std::string& triple = same.first.triple;
    const bool gpu = triple.starts_with("nvptx") || triple.starts_with("amdgcn");
    runs = runs || findings.back().level == Level::kOk;
    on_host = on_host || !gpu;
    on_gpu = on_gpu || gpu;
  }
  for (Finding& finding : findings) {
    // One image that runs is enough.
    if (runs && finding.level == Level::kNo) finding.level = Level::kWarn;
  }
  if (on_host && on_gpu) {
    findings.push_back({Level::kWarn,
                        "images for the host and for a GPU: the emulated host devices are 0 to 3",
                        "set OMP_DEFAULT_DEVICE=4 to use the GPU"});
  }
  return findings;
}

namespace {

namespace fs = std::filesystem;

/// A program and everything that is loaded with it.
struct Loaded {
  fs::path path;
  ElfFile program;
  std::vector<LoadedLibrary> libraries;
  std::vector<ElfFile> library_files;  ///< of `libraries`; default-constructed if unreadable
};

Loaded load(const fs::path& path, ElfFile program) {
  Loaded loaded{path, std::move(program), {}, {}};
  loaded.libraries = loaded_libraries(path, loaded.program.interpreter);
  for (const LoadedLibrary& library : loaded.libraries) {
    loaded.library_files.push_back(read_elf(library.path).value_or(ElfFile{}));
  }
  return loaded;
}

/// LLVM's major version by the library's name (libomptarget.so.19.1); 0 if it does not tell.
int runtime_major(const LoadedLibrary& omptarget) {
  constexpr std::string_view kStem = "libomptarget.so.";
  std::error_code error;
  for (const std::string& name :
       {omptarget.name, fs::canonical(omptarget.path, error).filename().string()}) {
    int major = 0;
    if (name.starts_with(kStem) &&
        std::from_chars(name.data() + kStem.size(), name.data() + name.size(), major).ec ==
            std::errc{}) {
      return major;
    }
  }
  return 0;
}

/// How to try a program whose events cannot be foretold.
std::string trial(const fs::path& program) {
  return fmt::format("ompdm doctor --run {} [ARG...]", shell_word(program.string()));
}

/// An obstacle in what the loader finds. For a library that is settled by the program which loads
/// it, whose own run path may lead elsewhere.
Finding where_it_loads(const Loaded& loaded, const std::string& fact, const std::string& remedy) {
  if (!loaded.program.is_library) return {Level::kNo, fact, remedy};
  return {Level::kUnknown, fact + ", unless the program that loads the library leads elsewhere",
          trial("PROGRAM")};
}

/// Whether it can load what it is not linked to. What the C library does for itself is no sign.
bool opens_libraries(const Loaded& loaded) {
  bool opens = loaded.program.opens_libraries;
  for (const ElfFile& library : loaded.library_files) opens = opens || library.opens_libraries;
  return opens;
}

/// Returns whether there is some.
bool examine_offload_code(const Loaded& loaded, Findings& findings) {
  bool offloads = loaded.program.offloads;
  std::string where = loaded.program.is_library ? "the library" : "the program";
  for (std::size_t i = 0; i < loaded.libraries.size() && !offloads; ++i) {
    if (!loaded.library_files[i].offloads) continue;
    offloads = true;
    where = loaded.libraries[i].path;
  }
  if (offloads) {
    findings.push_back({Level::kOk, "OpenMP offload code in " + where, ""});
    return true;
  }
  const std::string rebuild =
      "rebuild it with clang++ -fopenmp and --offload-arch or -fopenmp-targets";
  if (loaded.program.has_gcc_offload || find_library(loaded.libraries, "libgomp.so") != nullptr) {
    findings.push_back(
        {Level::kNo, "built with gcc's OpenMP (libgomp), which starts no tool", rebuild});
  } else if (find_library(loaded.libraries, "libnvomp.so") != nullptr) {
    findings.push_back(
        {Level::kNo, "built with NVIDIA's OpenMP (libnvomp), which ompdm does not know", rebuild});
  } else if (loaded.program.has_target_regions) {
    findings.push_back({Level::kNo,
                        "the target regions in " + where + " are compiled for the host alone",
                        "build it with --offload-arch or -fopenmp-targets besides -fopenmp, when "
                        "compiling and when linking"});
  } else if (opens_libraries(loaded)) {
    findings.push_back({Level::kUnknown,
                        fmt::format("no OpenMP offload code in {} or the libraries it is linked "
                                    "to, but it can open others while it runs",
                                    where),
                        trial(loaded.path)});
  } else {
    findings.push_back(
        {Level::kNo,
         fmt::format("no OpenMP offload code in {} or the libraries it is linked to", where),
         "build it with clang++ -fopenmp and --offload-arch or -fopenmp-targets"});
  }
  return false;
}

/// Where Debian has a library of LLVM's, each version in a folder of its own.
std::string folder_off_the_path(const std::string& library) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/usr/lib", error)) {
    const fs::path folder = entry.path() / "lib";
    if (entry.path().filename().string().starts_with("llvm-") &&
        fs::exists(folder / library, error)) {
      return folder;
    }
  }
  return "its folder";
}

/// Whether the OpenMP runtime is one from before target events were thought of.
bool cannot_connect(const Loaded& loaded) {
  for (std::size_t i = 0; i < loaded.libraries.size(); ++i) {
    const bool is_runtime = loaded.libraries[i].name.starts_with("libomp.so");
    if (is_runtime) return !loaded.library_files[i].connects_offload;
  }
  return false;
}

int examine_runtime(const Loaded& loaded, Findings& findings) {
  for (const LoadedLibrary& library : loaded.libraries) {
    if (!library.path.empty()) continue;
    findings.push_back(where_it_loads(loaded, library.name + " is not found by the loader",
                                      fmt::format("add {} to LD_LIBRARY_PATH, or link with "
                                                  "-Wl,-rpath",
                                                  folder_off_the_path(library.name))));
  }
  const LoadedLibrary* omptarget = find_library(loaded.libraries, "libomptarget.so");
  if (omptarget == nullptr || omptarget->path.empty()) return 0;
  const int major = runtime_major(*omptarget);
  const std::string runtime = fmt::format("offload runtime {}", omptarget->path.string());
  if ((major != 0 && major < 17) || (major == 0 && cannot_connect(loaded))) {
    const std::string version = major != 0 ? fmt::format("LLVM {}", major) : "LLVM before 15";
    findings.push_back({Level::kNo,
                        fmt::format("{}: {} has no target events, only names and mapped sizes come",
                                    runtime, version),
                        "build it with clang 19 or newer"});
  } else if (major != 0 && major < 19) {
    findings.push_back({Level::kWarn, fmt::format("{}: LLVM {} was never tried", runtime, major),
                        "build it with clang 19 or newer if events are missing"});
  } else {
    findings.push_back({Level::kOk, runtime, ""});
  }
  return major;
}

void examine_reach(const Loaded& loaded, Findings& findings) {
  const LoadedLibrary* runtime = find_library(loaded.libraries, "libomp.so");
  if (runtime == nullptr || runtime->path.empty()) return;
  if (const auto unreachable = unreachable_runtime(loaded.path)) {
    std::error_code error;
    const fs::path folder = unreachable->parent_path();
    const std::string remedy =
        fs::exists(folder / "libomp.so", error)
            ? fmt::format("to attach by OMP_TOOL_LIBRARIES alone, set LD_LIBRARY_PATH={}",
                          folder.string())
            : std::string(
                  "attach by `ompdm record` or LD_PRELOAD, not by OMP_TOOL_LIBRARIES alone");
    findings.push_back(
        {Level::kOk,
         "OMP_TOOL_LIBRARIES alone would not reach it (libomptarget finds no libomp.so); `ompdm "
         "record` and LD_PRELOAD do",
         remedy});
    return;
  }
  findings.push_back({Level::kOk, fmt::format("OpenMP runtime {}", runtime->path.string()), ""});
}

void examine_second_runtime(const Loaded& loaded, Findings& findings) {
  const LoadedLibrary* runtime = find_library(loaded.libraries, "libomp.so");
  const LoadedLibrary* caller = find_library(loaded.libraries, "libLLVM");
  if (caller == nullptr) caller = find_library(loaded.libraries, "libomptarget.so");
  if (runtime == nullptr || caller == nullptr || runtime->name == "libomp.so") return;
  const fs::path reached = search_library_from("libomp.so", caller->path);
  std::error_code error;
  if (reached.empty() || fs::equivalent(reached, runtime->path, error) || error) return;
  // A linker script or a link to the same file is no second runtime.
  if (const auto file = read_elf(reached); !file || file->soname != "libomp.so") {
    findings.push_back(where_it_loads(
        loaded,
        fmt::format(
            "libomp.so is {}, but the program runs with {}: two OpenMP runtimes in one process",
            reached.string(), runtime->path.string()),
        fmt::format("take {} out of LD_LIBRARY_PATH", reached.parent_path().string())));
  }
}

void examine_tools(const Loaded& loaded, Findings& findings) {
  std::string owner = loaded.program.defines_tool ? loaded.path.string() : "";
  for (std::size_t i = 0; i < loaded.libraries.size() && owner.empty(); ++i) {
    const std::string& name = loaded.libraries[i].name;
    // The runtime itself has a weak definition of the symbol.
    if (name.starts_with("libomp") || name.starts_with("libiomp")) continue;
    if (loaded.library_files[i].defines_tool) owner = loaded.libraries[i].path;
  }
  if (!owner.empty()) {
    findings.push_back(
        {Level::kNo,
         owner + " has an OMPT tool of its own (ompt_start_tool), which takes the recorder's place",
         "build it without that tool"});
  }
}

void examine_attaching(const Loaded& loaded, Findings& findings) {
  if (const auto obstacle = preload_obstacle(loaded.path)) {
    findings.push_back(
        {Level::kOk,
         fmt::format("LD_PRELOAD cannot be used: {}; `ompdm record` attaches by OMP_TOOL_LIBRARIES",
                     *obstacle),
         ""});
  }
}

/// Whose directives are recorded.
const ElfFile& offload_code(const Loaded& loaded) {
  const auto library = std::ranges::find_if(loaded.library_files, &ElfFile::offloads);
  const bool own = loaded.program.offloads || library == loaded.library_files.end();
  return own ? loaded.program : *library;
}

}  // namespace

Findings examine_program(const fs::path& path) {
  Findings findings;
  auto program = read_elf(path);
  const bool is_library = program && program->is_library;
  if (!is_library && ::access(path.c_str(), X_OK) != 0) {
    return {{Level::kNo, path.string() + " is not executable",
             "name the program that was built, or make it executable (chmod +x)"}};
  }
  if (!program) {
    return {{Level::kUnknown,
             path.string() + " is a script, not a program: what it starts is recorded",
             trial(path)}};
  }
  if (!program->is_64_bit) {
    return {
        {Level::kNo, is_library ? "a 32-bit library" : "a 32-bit program", "build it for 64 bits"}};
  }
  if (program->is_static()) {
    return {
        {Level::kNo, "statically linked: nothing can be loaded into it", "link it dynamically"}};
  }
  const Loaded loaded = load(path, std::move(*program));
  const bool offloads = examine_offload_code(loaded, findings);
  const int major = examine_runtime(loaded, findings);
  if (!offloads) return findings;
  std::vector<OffloadImage> images = parse_offload_images(loaded.program.offload_images);
  for (const ElfFile& library : loaded.library_files) {
    std::ranges::move(parse_offload_images(library.offload_images), std::back_inserter(images));
  }
  std::ranges::move(examine_images(images, major), std::back_inserter(findings));
  examine_reach(loaded, findings);
  examine_second_runtime(loaded, findings);
  examine_tools(loaded, findings);
  examine_attaching(loaded, findings);
  findings.push_back(examine_names(offload_code(loaded)));
  if (is_library) {
    findings.push_back({Level::kUnknown,
                        "a shared library: it is recorded in a program that loads it",
                        trial("PROGRAM")});
  }
  return findings;
}

}  // namespace ompdm::cli
