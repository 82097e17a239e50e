#include "attach.h"

#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "elf_file.h"
#include "loader.h"

namespace ompdm::cli {
namespace {

namespace fs = std::filesystem;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

/// The list without `entry`, its own separators kept where nothing was taken out.
std::string without(const std::string& list, std::string_view separators,
                    const std::string& entry) {
  std::string rest;
  std::size_t begin = 0;
  while (begin <= list.size()) {
    const std::size_t end = std::min(list.find_first_of(separators, begin), list.size());
    const std::string item = list.substr(begin, end - begin);
    if (!item.empty() && item != entry) {
      if (!rest.empty()) rest += ':';
      rest += item;
    }
    begin = end + 1;
  }
  return rest;
}

std::string prepended(const std::string& entry, const std::string& list,
                      std::string_view separators) {
  const std::string rest = without(list, separators, entry);
  return rest.empty() ? entry : entry + ':' + rest;
}

bool gains_privileges(const fs::path& program) {
  struct stat status;
  if (::stat(program.c_str(), &status) != 0) return false;
  return ((status.st_mode & S_ISUID) != 0 && status.st_uid != ::geteuid()) ||
         ((status.st_mode & S_ISGID) != 0 && status.st_gid != ::getegid());
}

constexpr const char* kInjection = "CUDA_INJECTION64_PATH";

/// Runtimes of AddressSanitizer as shared libraries, gcc's and LLVM's.
constexpr std::string_view kSharedAsan[] = {"libasan.so", "libclang_rt.asan"};

/// Everybody who records wants the runtime to start a tool; where there is no OpenMP, CUDA's driver
/// starts the recorder, unless it is to start another tool.
void allow_tools(const fs::path& recorder, EnvironmentChange& change) {
  if (is_disabled("OMP_TOOL")) change.unset.emplace_back("OMP_TOOL");
  if (variable(kInjection).empty()) change.set.emplace_back(kInjection, recorder);
}

EnvironmentChange attach_by_tool_libraries(const fs::path& recorder, const fs::path& program,
                                           const fs::path& session) {
  EnvironmentChange change;
  change.set.emplace_back("OMP_TOOL_LIBRARIES",
                          prepended(recorder, variable("OMP_TOOL_LIBRARIES"), ":"));
  allow_tools(recorder, change);
  if (const auto runtime = unreachable_runtime(program)) {
    const fs::path folder = session / "libomp";
    fs::create_directory(folder);
    fs::create_symlink(fs::canonical(*runtime), folder / "libomp.so");
    const std::string kept = variable("LD_LIBRARY_PATH");
    change.set.emplace_back("LD_LIBRARY_PATH",
                            kept.empty() ? folder.string() : kept + ':' + folder.string());
  }
  return change;
}

}  // namespace

bool is_disabled(const char* name) {
  constexpr const char* kBlanks = " \t";
  const std::string value = variable(name);
  const std::size_t begin = std::min(value.find_first_not_of(kBlanks), value.size());
  const std::size_t end = value.find_last_not_of(kBlanks) + 1;
  return ::strcasecmp(value.substr(begin, end - begin).c_str(), "disabled") == 0;
}

std::optional<std::string> preload_obstacle(const fs::path& program) {
  if (gains_privileges(program))
    return "it is setuid or setgid, where the loader ignores LD_PRELOAD";
  const auto elf = read_elf(program);
  if (!elf) return std::nullopt;
  for (const std::string& library : elf->needed) {
    if (std::ranges::any_of(kSharedAsan,
                            [&](std::string_view name) { return library.starts_with(name); })) {
      return "it is linked to a shared AddressSanitizer runtime (" + library +
             "), which insists on being loaded first";
    }
  }
  return std::nullopt;
}

bool fits_preload(const fs::path& path) {
  return path.native().find_first_of(": \t\n") == std::string::npos;
}

EnvironmentChange attach_by_preload(const fs::path& recorder) {
  EnvironmentChange change;
  change.set.emplace_back("LD_PRELOAD", prepended(recorder, variable("LD_PRELOAD"), ": "));
  allow_tools(recorder, change);
  return change;
}

std::optional<fs::path> unreachable_runtime(const fs::path& program) {
  const auto elf = read_elf(program);
  if (!elf || elf->is_static()) return std::nullopt;
  const auto libraries = loaded_libraries(program, elf->interpreter);
  const LoadedLibrary* target = find_library(libraries, "libomptarget.so");
  const LoadedLibrary* runtime = find_library(libraries, "libomp.so.");
  // Where the program cannot be loaded, or a library is led to them by its program, who knows.
  const auto is_found = [](const LoadedLibrary* library) {
    return library != nullptr && !library->path.empty();
  };
  if (!is_found(target) || !is_found(runtime)) return std::nullopt;
  for (const LoadedLibrary& library : libraries) {
    const auto loaded = read_elf(library.path);
    if (loaded && loaded->soname == "libomp.so") return std::nullopt;
  }
  // LLVM opens it by a dlopen in libLLVM where that is a library of its own.
  const LoadedLibrary* caller = find_library(libraries, "libLLVM");
  if (caller == nullptr) caller = target;
  // A sanitizer stands in for dlopen, so that the loader takes it for the caller.
  for (const std::string_view name : kSharedAsan) {
    if (const LoadedLibrary* asan = find_library(libraries, name)) caller = asan;
  }
  if (!search_library_from("libomp.so", caller->path).empty()) return std::nullopt;
  return runtime->path;
}

EnvironmentChange attach(AttachMethod method, const fs::path& recorder, const fs::path& program,
                         const fs::path& session) {
  fs::path listed = recorder;
  if (!fits_preload(recorder)) {
    listed = session / recorder.filename();
    fs::create_symlink(recorder, listed);
  }
  if (method == AttachMethod::kAuto) {
    method = preload_obstacle(program) ? AttachMethod::kToolLibraries : AttachMethod::kPreload;
  }
  return method == AttachMethod::kPreload ? attach_by_preload(listed)
                                          : attach_by_tool_libraries(listed, program, session);
}

EnvironmentChange detach(const fs::path& recorder) {
  EnvironmentChange change;
  const std::pair<const char*, std::string_view> lists[] = {{"LD_PRELOAD", ": "},
                                                            {"OMP_TOOL_LIBRARIES", ":"}};
  for (const auto& [name, separators] : lists) {
    const std::string rest = without(variable(name), separators, recorder);
    if (rest.empty()) {
      change.unset.emplace_back(name);
    } else {
      change.set.emplace_back(name, rest);
    }
  }
  if (variable(kInjection) == recorder) change.unset.emplace_back(kInjection);
  return change;
}

}  // namespace ompdm::cli
