// `ompdm doctor`: whether a program of this machine can be recorded.
#include "doctor.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>

#include "attach.h"
#include "launch.h"
#include "ompdm/error.h"
#include "ompdm/finish.h"
#include "printable.h"
#include "session.h"
#include "spool_format/cupti_places.h"
#include "spool_format/process.h"
#include "verb_help.h"

namespace ompdm::cli {

namespace fs = std::filesystem;

namespace {

using Level = Finding::Level;

void add(Findings& findings, Level level, std::string fact, std::string remedy = {}) {
  findings.push_back({level, std::move(fact), std::move(remedy)});
}

/// Debian keeps each LLVM's libraries in a folder of its own, off the loader's path.
std::vector<fs::path> llvm_folders() {
  std::vector<fs::path> folders;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/usr/lib", error)) {
    const bool is_llvm = entry.path().filename().string().starts_with("llvm-");
    if (is_llvm) folders.push_back(entry.path() / "lib");
  }
  return folders;
}

std::set<fs::path> offload_runtimes() {
  std::set<fs::path> found;
  std::vector<fs::path> folders = llvm_folders();
  for (const char* own : {"/usr/lib/" OMPDM_ARCHITECTURE, "/usr/lib", "/usr/local/lib"}) {
    folders.emplace_back(own);
  }
  std::error_code error;
  for (const fs::path& folder : folders) {
    for (const auto& entry : fs::directory_iterator(folder, error)) {
      if (!entry.path().filename().string().starts_with("libomptarget.so")) continue;
      const fs::path real = fs::canonical(entry.path(), error);
      if (!error) found.insert(real);
    }
  }
  return found;
}

std::string first_line(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

/// The CUDA version of a driver; 0 if it is not known.
int version_of(const fs::path& driver) {
  int version = 0;
  if (void* library = driver.empty() ? nullptr : dlopen(driver.c_str(), RTLD_LAZY | RTLD_LOCAL)) {
    auto get = reinterpret_cast<int (*)(int*)>(dlsym(library, "cuDriverGetVersion"));
    if (get == nullptr || get(&version) != 0) version = 0;
    dlclose(library);
  }
  return version;
}

/// The CUPTI that the recorder would open in a program whose only library of CUDA's is the driver.
fs::path find_cupti(const fs::path& driver, int newest) {
  const std::string folder = driver.parent_path().string();
  const char* beside[] = {folder.c_str()};
  fs::path found;
  const auto look = [&](const char* path) {
    const fs::path file = std::strchr(path, '/') == nullptr ? search_library(path) : fs::path(path);
    if (std::error_code error; !fs::exists(file, error)) return false;
    found = file.lexically_normal();
    return true;
  };
  const std::size_t beside_count = folder.empty() ? 0 : 1;
  for (int major = newest; major >= spool::kOldestCuptiMajor; --major) {
    if (spool::look_for_cupti(beside, beside_count, major, look)) break;
  }
  return found;
}

void examine_cupti(const fs::path& driver, Findings& findings) {
  if (variable("OMPDM_CUPTI") == "off") {
    return add(findings, Level::kWarn, "OMPDM_CUPTI=off: no device clocks for copies and kernels",
               "unset OMPDM_CUPTI");
  }
  if (const std::string chosen = variable("OMPDM_CUPTI_LIBRARY"); !chosen.empty()) {
    if (std::error_code error; fs::exists(chosen, error)) {
      return add(findings, Level::kOk, fmt::format("CUPTI {} (OMPDM_CUPTI_LIBRARY)", chosen));
    }
    return add(findings, Level::kWarn, fmt::format("OMPDM_CUPTI_LIBRARY={}: no such file", chosen),
               "unset OMPDM_CUPTI_LIBRARY, or name a libcupti.so");
  }
  const int newest = spool::newest_cupti_for(version_of(driver));
  if (const fs::path cupti = find_cupti(driver, newest); !cupti.empty()) {
    return add(findings, Level::kOk, "CUPTI " + cupti.string());
  }
  add(findings, Level::kWarn,
      fmt::format("no CUPTI of CUDA {} to {}: no device clocks for copies and kernels",
                  spool::kOldestCuptiMajor, newest),
      "set OMPDM_CUPTI_LIBRARY to a libcupti.so, which CUDA has in extras/CUPTI/lib64");
}

/// The OpenMP runtimes, GPU driver and CUPTI of this machine.
void examine_machine(Findings& findings) {
  const std::set<fs::path> runtimes = offload_runtimes();
  for (const fs::path& runtime : runtimes) {
    add(findings, Level::kOk, "offload runtime " + runtime.string());
  }
  if (runtimes.empty()) {
    add(findings, Level::kWarn, "no libomptarget in the system's folders",
        "install libomp-19-dev, or check a program that brings its own runtime");
  }
  const std::string driver = first_line("/proc/driver/nvidia/version");
  const fs::path library = search_library("libcuda.so");
  if (driver.empty() && library.empty()) {
    return add(findings, Level::kOk, "no NVIDIA driver: programs run on emulated host devices");
  }
  if (library.empty()) {
    add(findings, Level::kWarn, "NVIDIA driver loaded, but libcuda.so is not on the loader's path",
        "add the folder of libcuda.so to LD_LIBRARY_PATH");
  } else {
    add(findings, Level::kOk, fmt::format("NVIDIA driver {} ({})", driver, library.string()));
  }
  examine_cupti(library, findings);
}

/// Reports environment variables that switch off tools or devices.
void examine_environment(Findings& findings) {
  if (is_disabled("OMP_TARGET_OFFLOAD")) {
    add(findings, Level::kNo,
        fmt::format("OMP_TARGET_OFFLOAD={}: nothing is offloaded", variable("OMP_TARGET_OFFLOAD")),
        "unset OMP_TARGET_OFFLOAD");
  }
  if (is_disabled("OMP_TOOL")) {
    add(findings, Level::kWarn,
        fmt::format("OMP_TOOL={} keeps every tool out; `ompdm record` overrides it",
                    variable("OMP_TOOL")),
        "unset OMP_TOOL");
  }
  const auto names_others = [](const std::string& list) {
    return !list.empty() && list.find("libompdm.so") == std::string::npos;
  };
  if (const std::string tools = variable("OMP_TOOL_LIBRARIES"); names_others(tools)) {
    add(findings, Level::kWarn,
        fmt::format("OMP_TOOL_LIBRARIES={}: a runtime starts one tool only; under `ompdm record` "
                    "that is the recorder",
                    tools),
        "unset OMP_TOOL_LIBRARIES");
  }
  if (const std::string preloaded = variable("LD_PRELOAD"); names_others(preloaded)) {
    add(findings, Level::kOk, fmt::format("LD_PRELOAD={} is kept, before the recorder", preloaded));
  }
}

/// Lines and names of the directives in a program or library.
Finding examine_names(const ElfFile& code) {
  if (code.has_debug_info) return {Level::kOk, "debug information: lines and variable names"};
  if (code.tells_names) {
    return {Level::kOk,
            "no debug information is left, but the code itself tells lines and variable names"};
  }
  return {Level::kWarn,
          code.has_symbols
              ? "no debug information: functions and lines, but no files and no variable names"
              : "stripped, and built without -g: no files and no variable names",
          "build it with -g (any optimisation level) to get them"};
}

/// Reports an image. `architectures`: those of all images that differ from it only in the
/// architecture.
Finding examine_image(const OffloadImage& image, const std::vector<std::string>& architectures,
                      int major) {
  const std::string all = fmt::format("{}", fmt::join(architectures, ", "));
  const std::string name = all.empty() ? image.triple : image.triple + ' ' + all;
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
  return {Level::kOk, "image for " + name};
}

/// A program and everything that is loaded with it.
struct Loaded {
  fs::path path;
  ElfFile program;
  std::vector<LoadedLibrary> libraries;
};

/// LLVM's major version in the library's name (libomptarget.so.19.1); 0 if it has none.
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

/// The command that shows by a run whether events come.
std::string how_to_try(const fs::path& program) {
  return fmt::format("ompdm doctor --run {} [ARG...]", shell_word(program.string()));
}

/// Adds an obstacle in the loader's search. For a library the program that loads it decides, as the
/// program may have another run path.
void add_of_loader(const Loaded& loaded, const std::string& fact, const std::string& remedy,
                   Findings& findings) {
  if (!loaded.program.is_library) return add(findings, Level::kNo, fact, remedy);
  add(findings, Level::kUnknown,
      fact + ", unless the program that loads the library leads elsewhere", how_to_try("PROGRAM"));
}

/// Returns whether there is offload code.
bool examine_offload_code(const Loaded& loaded, Findings& findings) {
  const auto& [path, program, libraries] = loaded;
  std::string where = program.is_library ? "the library" : "the program";
  const auto library = std::ranges::find_if(libraries, &ElfFile::offloads, &LoadedLibrary::file);
  if (!program.offloads && library != libraries.end()) where = library->path;
  if (program.offloads || library != libraries.end()) {
    add(findings, Level::kOk, "OpenMP offload code in " + where);
    return true;
  }
  const std::string flags = fmt::format(
      "-fopenmp --offload-arch=native for a GPU of this machine, or -fopenmp "
      "-fopenmp-targets={}-pc-linux-gnu for none",
      OMPDM_ARCHITECTURE);
  const std::string rebuild = "rebuild it with clang++ " + flags;
  const std::string nothing =
      fmt::format("no OpenMP offload code in {} or the libraries it is linked to", where);
  if (program.has_gcc_offload || find_library(libraries, "libgomp.so") != nullptr) {
    add(findings, Level::kNo, "built with gcc's OpenMP (libgomp), which starts no tool", rebuild);
  } else if (find_library(libraries, "libnvomp.so") != nullptr) {
    add(findings, Level::kNo, "built with NVIDIA's OpenMP (libnvomp), which ompdm does not know",
        rebuild);
  } else if (program.has_target_regions) {
    add(findings, Level::kNo, "the target regions in " + where + " are compiled for the host alone",
        "compile and link it with " + flags);
  } else if (program.opens_libraries ||
             std::ranges::any_of(libraries, &ElfFile::opens_libraries, &LoadedLibrary::file)) {
    add(findings, Level::kUnknown, nothing + ", but it can open others while it runs",
        how_to_try(path));
  } else {
    add(findings, Level::kNo, nothing, "build it with clang++ " + flags);
  }
  return false;
}

/// Where Debian has a library of LLVM's.
std::string folder_off_the_path(const std::string& library) {
  for (const fs::path& folder : llvm_folders()) {
    if (std::error_code error; fs::exists(folder / library, error)) return folder;
  }
  return "its folder";
}

/// Returns LLVM's major version; 0 if it is not known.
int examine_runtime(const Loaded& loaded, Findings& findings) {
  for (const LoadedLibrary& library : loaded.libraries) {
    if (!library.path.empty()) continue;
    add_of_loader(loaded, library.name + " is not found by the loader",
                  fmt::format("add {} to LD_LIBRARY_PATH, or link with -Wl,-rpath",
                              folder_off_the_path(library.name)),
                  findings);
  }
  const LoadedLibrary* omptarget = find_library(loaded.libraries, "libomptarget.so");
  if (omptarget == nullptr || omptarget->path.empty()) return 0;
  const int major = runtime_major(*omptarget);
  const std::string runtime = fmt::format("offload runtime {}", omptarget->path.string());
  const LoadedLibrary* libomp = find_library(loaded.libraries, "libomp.so");
  // This OpenMP runtime is older than the target events of OMPT.
  const bool cannot_connect = libomp != nullptr && !libomp->file.connects_offload;
  if ((major != 0 && major < 17) || (major == 0 && cannot_connect)) {
    const std::string version = major != 0 ? fmt::format("LLVM {}", major) : "LLVM before 15";
    add(findings, Level::kNo,
        fmt::format("{}: {} has no target events, only names and mapped sizes come", runtime,
                    version),
        "build it with clang 19 or newer");
  } else if (major != 0 && major < 19) {
    add(findings, Level::kWarn, fmt::format("{}: LLVM {} was never tried", runtime, major),
        "build it with clang 19 or newer if events are missing");
  } else {
    add(findings, Level::kOk, runtime);
  }
  return major;
}

void examine_reach(const Loaded& loaded, Findings& findings) {
  const LoadedLibrary* runtime = find_library(loaded.libraries, "libomp.so");
  if (runtime == nullptr || runtime->path.empty()) return;
  const auto unreachable = unreachable_runtime(loaded.path);
  if (!unreachable) return add(findings, Level::kOk, "OpenMP runtime " + runtime->path.string());
  std::error_code error;
  const fs::path folder = unreachable->parent_path();
  add(findings, Level::kOk,
      "OMP_TOOL_LIBRARIES alone would not reach it (libomptarget finds no libomp.so); `ompdm "
      "record` and LD_PRELOAD do",
      fs::exists(folder / "libomp.so", error)
          ? "to attach by OMP_TOOL_LIBRARIES alone, set LD_LIBRARY_PATH=" + folder.string()
          : "attach by `ompdm record` or LD_PRELOAD, not by OMP_TOOL_LIBRARIES alone");
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
  if (const auto file = read_elf(reached); file && file->soname == "libomp.so") return;
  add_of_loader(
      loaded,
      fmt::format("libomp.so is {}, but the program runs with {}: two OpenMP runtimes in one "
                  "process",
                  reached.string(), runtime->path.string()),
      fmt::format("take {} out of LD_LIBRARY_PATH", reached.parent_path().string()), findings);
}

void examine_tools(const Loaded& loaded, Findings& findings) {
  std::string owner = loaded.program.defines_tool ? loaded.path.string() : "";
  for (const LoadedLibrary& library : loaded.libraries) {
    // The runtime itself has a weak definition of the symbol.
    const bool is_runtime =
        library.name.starts_with("libomp") || library.name.starts_with("libiomp");
    if (owner.empty() && !is_runtime && library.file.defines_tool) owner = library.path;
  }
  if (owner.empty()) return;
  add(findings, Level::kNo,
      owner + " has an OMPT tool of its own (ompt_start_tool), which takes the recorder's place",
      "build it without that tool");
}

/// A program or a library: whether it offloads, to what, with which runtime, and what stands in the
/// way.
void examine_program(const fs::path& path, Findings& findings) {
  auto program = read_elf(path);
  const bool is_library = program && program->is_library;
  if (!is_library && ::access(path.c_str(), X_OK) != 0) {
    return add(findings, Level::kNo, path.string() + " is not executable",
               "name the program that was built, or make it executable (chmod +x)");
  }
  if (!program) {
    return add(findings, Level::kUnknown,
               path.string() + " is a script, not a program: what it starts is recorded",
               how_to_try(path));
  }
  if (!program->is_64_bit) {
    return add(findings, Level::kNo, is_library ? "a 32-bit library" : "a 32-bit program",
               "build it for 64 bits");
  }
  if (program->is_static()) {
    return add(findings, Level::kNo, "statically linked: nothing can be loaded into it",
               "link it dynamically");
  }
  const Loaded loaded = {path, *program, loaded_libraries(path, program->interpreter)};
  const bool offloads = examine_offload_code(loaded, findings);
  const int major = examine_runtime(loaded, findings);
  if (!offloads) return;
  std::vector<OffloadImage> images = program->offload_images;
  const ElfFile* code = program->offloads ? &*program : nullptr;  // the code whose directives are
                                                                  // recorded
  for (const LoadedLibrary& library : loaded.libraries) {
    std::ranges::copy(library.file.offload_images, std::back_inserter(images));
    if (code == nullptr && library.file.offloads) code = &library.file;
  }
  std::ranges::move(examine_images(images, major), std::back_inserter(findings));
  examine_reach(loaded, findings);
  examine_second_runtime(loaded, findings);
  examine_tools(loaded, findings);
  if (const auto obstacle = preload_obstacle(path)) {
    add(findings, Level::kOk,
        fmt::format("LD_PRELOAD cannot be used: {}; `ompdm record` attaches by OMP_TOOL_LIBRARIES",
                    *obstacle));
  }
  findings.push_back(examine_names(*code));
  if (!is_library) return;
  add(findings, Level::kUnknown, "a shared library: it is recorded in a program that loads it",
      how_to_try("PROGRAM"));
}

Finding ended(const Ending& ending, bool recorded) {
  if (!ending.failure.empty()) return {Level::kNo, ending.failure};
  const std::string how = how_it_ended(ending);
  if (ending.exit_status == 0) return {Level::kOk, "the program ran and " + how};
  const std::string remedy =
      ending.signal != 0 ? "" : "run it by itself to see why: what it says is kept away here";
  if (recorded) return {Level::kWarn, "the program ran and " + how, remedy};
  return {Level::kNo, fmt::format("the program {}, and no target region was recorded", how),
          remedy};
}

/// Returns whether events came.
bool describe(const RecordedProcess& process, Findings& findings) {
  const Trace trace = read_spool(process.spool);
  const std::string program = fs::path(process.program).filename();
  const bool came = !trace.ops.empty() || !trace.launches.empty();
  const auto on_host = std::ranges::count_if(trace.regions, &Region::host_fallback);
  if (came || on_host == 0) {
    add(findings, came ? Level::kOk : Level::kNo,
        fmt::format("{} recorded: regions {}, data operations {}, launches {}, devices {}", program,
                    trace.regions.size(), trace.ops.size(), trace.launches.size(),
                    trace.devices.size()));
  }
  if (on_host > 0) {
    add(findings, came ? Level::kWarn : Level::kNo,
        fmt::format("{}: {}{} kernel{} ran on the host", program,
                    came ? "" : "nothing ran on a device: ", on_host, on_host == 1 ? "" : "s"));
  }
  std::string answers;
  for (const auto& [callback, answer] : trace.recording.registered) {
    answers += fmt::format("{}{} {}", answers.empty() ? "" : ", ", callback, answer);
  }
  add(findings, Level::kOk, "the runtime answered: " + answers);
  return came;
}

/// Runs the command under the recorder, and discards its output. Returns whether it recorded
/// events, whatever obstacles there are.
bool probe(const std::vector<std::string>& command, Findings& findings) {
  const SignalForwarding signals;
  const Session session;
  EnvironmentChange change =
      attach(AttachMethod::kAuto, find_recorder(), find_program(command.front()), session.folder());
  change.set.emplace_back("OMPDM_SESSION", session.folder());
  change.set.emplace_back("OMPDM_OUTPUT", session.folder() / "probe.json");
  change.set.emplace_back("OMPDM_FINISH", "off");
  const Ending ending = launch(command, change, signals, Output::kDiscarded);
  const SessionRecord record = read_session(session.folder());
  findings.push_back(ended(ending, !record.recorded.empty()));
  bool events_came = false;
  for (const RecordedProcess& process : record.recorded) {
    events_came |= describe(process, findings);
  }
  for (const SilentProcess& process : record.silent) {
    add(findings, Level::kNo, process.reason,
        process.reason == spool::kNothingExecuted
            ? "look for an if() that is false, for OMP_TARGET_OFFLOAD, and whether this command "
              "comes to a target region"
            : "");
  }
  if (record.has_reported) {
    add(findings, Level::kNo,
        fmt::format("nothing could be recorded in {}", session.folder().parent_path().string()),
        "set TMPDIR to a folder with room");
  } else if (ending.failure.empty() && record.recorded.empty() && record.silent.empty()) {
    add(findings, Level::kNo, "no target region was recorded");
  }
  return events_came;
}

struct DoctorOptions {
  bool run = false;
  std::vector<std::string> command;
};

/// Adapts findings to a run: nothing is unknown then, and an obstacle that did not stop events is a
/// warning.
void yield_to_run(Findings& findings, bool events_came) {
  for (Finding& finding : findings) {
    const bool is_known =
        finding.level == Level::kUnknown || (finding.level == Level::kNo && events_came);
    if (!is_known) continue;
    finding.level = Level::kWarn;
    finding.remedy.clear();
  }
}

fs::path existing_program(const std::string& name) {
  const fs::path program = find_program(name);
  std::error_code error;
  if (program.empty()) throw Error(not_found(name));
  if (!fs::is_regular_file(program, error)) {
    throw Error(name + ": is no program: name an executable");
  }
  return program;
}

int run_doctor(const DoctorOptions& options) {
  if (options.command.empty() && options.run) {
    throw Error("doctor: --run needs a PROGRAM: ompdm doctor --run PROGRAM [ARG...]",
                Error::Kind::kUsage);
  }
  if (options.command.size() > 1 && !options.run) {
    throw Error("doctor: arguments are for a program that is run: add --run before PROGRAM",
                Error::Kind::kUsage);
  }
  Findings findings;
  try {
    add(findings, Level::kOk, fmt::format("recorder {}", find_recorder().string()));
  } catch (const Error& error) {
    add(findings, Level::kNo, error.what());
  }
  examine_environment(findings);
  if (options.command.empty()) {
    examine_machine(findings);
  } else {
    examine_program(existing_program(options.command.front()), findings);
    if (options.run) yield_to_run(findings, probe(options.command, findings));
  }
  constexpr const char* kNames[] = {"ok:  ", "warn:", "warn:", "no:  "};  // of Level
  for (const Finding& finding : findings) {
    fmt::print("{} {}{}{}\n", kNames[static_cast<std::size_t>(finding.level)], finding.fact,
               finding.remedy.empty() ? "" : ": ", finding.remedy);
  }
  const Finding& worst = *std::ranges::max_element(findings, {}, &Finding::level);
  if (worst.level == Level::kNo) {
    fmt::print("Events will not come: {}\n", worst.remedy.empty() ? worst.fact : worst.remedy);
    return 1;
  }
  if (worst.level == Level::kUnknown) {
    fmt::print("Not known before a run: {}\n", worst.remedy);
  } else if (!options.command.empty()) {
    fmt::print("Events will come: ompdm record {}\n", typed_command(options.command));
  }
  return 0;
}

}  // namespace

Findings examine_images(const std::vector<OffloadImage>& images, int major) {
  Findings findings;
  bool runs = images.empty();
  bool on_host = false;
  bool on_gpu = false;
  const auto is_like = [](const OffloadImage& one, const OffloadImage& other) {
    return one.triple == other.triple &&
           hides_its_architecture(one) == hides_its_architecture(other);
  };
  for (auto image = images.begin(); image != images.end(); ++image) {
    // Images that differ only in their architecture are reported together.
    const auto like_this = [&](const OffloadImage& other) { return is_like(*image, other); };
    if (std::any_of(images.begin(), image, like_this)) continue;
    std::vector<std::string> architectures;
    for (const OffloadImage& other : images) {
      const bool is_known = std::ranges::count(architectures, other.architecture) > 0;
      if (like_this(other) && !is_known) architectures.push_back(other.architecture);
    }
    findings.push_back(examine_image(*image, architectures, major));
    const bool gpu = image->triple.starts_with("nvptx") || image->triple.starts_with("amdgcn");
    runs = runs || findings.back().level == Level::kOk;
    on_host = on_host || !gpu;
    on_gpu = on_gpu || gpu;
  }
  for (Finding& finding : findings) {
    // One image that runs is enough.
    if (runs && finding.level == Level::kNo) finding.level = Level::kWarn;
  }
  if (on_host && on_gpu) {
    add(findings, Level::kWarn,
        "images for the host and for a GPU: the emulated host devices are 0 to 3",
        "set OMP_DEFAULT_DEVICE=4 to use the GPU");
  }
  return findings;
}

void setup_doctor(CLI::App& app, int& exit_status) {
  auto options = std::make_shared<DoctorOptions>();
  CLI::App* verb =
      app.add_subcommand("doctor", "Say whether events will come, and if not what to change")
          ->group("Look");
  verb->prefix_command();
  verb->add_flag("--run", options->run,
                 "Run PROGRAM once under the recorder and look at what came");
  set_help(
      *verb, "ompdm doctor [--run] [--] [PROGRAM [ARG...]]",
      "Without PROGRAM this machine is checked. The exit status is 1 if no events will come, and\n"
      "0 otherwise, also where only a run can tell (--run).",
      "ompdm doctor\n"
      "ompdm doctor ./heat\n"
      "ompdm doctor --run ./heat 100 10");
  verb->callback([verb, options, &exit_status] {
    options->command = verb->remaining();
    check_program_words(*verb, options->command);
    exit_status = run_doctor(*options);
  });
}

}  // namespace ompdm::cli
