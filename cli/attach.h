// How the recorder is attached to a program, and `ompdm env`.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "launch.h"

namespace ompdm::cli {

/// Absolute path of a library of ompdm's own, found relative to the running executable so that an
/// installation can be moved. Throws Error naming the folders that were searched.
std::filesystem::path find_own_library(const std::string& name);

/// Path of libompdm.so. Throws Error.
std::filesystem::path find_recorder();

enum class AttachMethod {
  kAuto,
  kPreload,        ///< LD_PRELOAD: works in every process, and where libomp.so is not found
  kToolLibraries,  ///< OMP_TOOL_LIBRARIES: where no library may be loaded before the program's own
};

/// Whether a variable of OpenMP is set to "disabled", upper or lower case, as runtimes read it.
bool is_disabled(const char* variable);

/// Why the program cannot be recorded by LD_PRELOAD; nullopt where it can, and for a script.
std::optional<std::string> preload_obstacle(const std::filesystem::path& program);

/// Whether LD_PRELOAD can hold this path: the loader splits it at spaces and colons.
bool fits_preload(const std::filesystem::path& path);

/// OMP_TOOL_LIBRARIES of this process, without recorders.
std::string other_tools();

/// Appends the recorder to LD_PRELOAD and removes other copies of it. A library that must be the
/// first (a sanitizer's runtime) stays the first. Where LD_PRELOAD is empty, ASAN_OPTIONS allow the
/// recorder before AddressSanitizer, since the program may start another that has this runtime.
EnvironmentChange attach_by_preload(const std::filesystem::path& recorder);

/// The change that attaches the recorder to `program` (empty if it was not found). Links that the
/// change needs are made in the folder `session`:
/// - to the recorder, where a list cannot hold its path;
/// - named `libomp.so`, to the program's runtime, in a folder at the end of LD_LIBRARY_PATH, where
///   the program's libomptarget would not find that name (OMP_TOOL_LIBRARIES only).
EnvironmentChange attach(AttachMethod method, const std::filesystem::path& recorder,
                         const std::filesystem::path& program,
                         const std::filesystem::path& session);

/// The change that removes recorders from LD_PRELOAD and OMP_TOOL_LIBRARIES.
EnvironmentChange detach();

/// The program's libomp.so.5 if its libomptarget will not find `libomp.so`, else nullopt.
std::optional<std::filesystem::path> unreachable_runtime(const std::filesystem::path& program);

}  // namespace ompdm::cli
