#include <elf.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include "attach.h"
#include "diagnosis.h"
#include "elf_file.h"
#include "loader.h"
#include "offload_image.h"
#include "shell_words.h"

namespace ompdm::cli {
namespace {

namespace fs = std::filesystem;
using Level = Finding::Level;

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
