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

/// libompdm.so.
std::filesystem::path find_recorder();

enum class AttachMethod {
  kAuto,
  kPreload,        ///< LD_PRELOAD: reaches every process and cures a libomp.so that is out of reach
  kToolLibraries,  ///< OMP_TOOL_LIBRARIES: where nothing may be loaded before the program's own
};

/// Whether a variable of OpenMP's is set to "disabled", in whatever case, as runtimes read it.
bool is_disabled(const char* variable);

/// Why LD_PRELOAD cannot be used for this program, or nothing. A program that is no ELF file (a
/// script) can be preloaded into.
std::optional<std::string> preload_obstacle(const std::filesystem::path& program);

/// Whether the loader's lists can hold this path: LD_PRELOAD is split at spaces and colons, the
/// others at colons.
bool fits_preload(const std::filesystem::path& path);

/// What OMP_TOOL_LIBRARIES names besides the recorder and other copies of it.
std::string other_tools();

/// Puts the recorder behind what is in LD_PRELOAD, in the place of other copies of it: what insists
/// on being the first library (a sanitizer's runtime) stays that. Where nothing is there, the
/// recorder is the first, and ASAN_OPTIONS say that this is right: the launched program may start
/// one that brings such a runtime.
EnvironmentChange attach_by_preload(const std::filesystem::path& recorder);

/// What attaches the recorder to `program` (empty if it was not found) in the way that works there.
/// `session` holds the links that this may need:
/// - to the recorder, where a list could not hold its path;
/// - with OMP_TOOL_LIBRARIES, of the name `libomp.so` to the runtime which the program uses, in a
/// folder
///   of its own at the end of LD_LIBRARY_PATH, where its libomptarget would look for that name in
///   vain.
EnvironmentChange attach(AttachMethod method, const std::filesystem::path& recorder,
                         const std::filesystem::path& program,
                         const std::filesystem::path& session);

/// Takes recorders out of LD_PRELOAD and OMP_TOOL_LIBRARIES again, and what came with them.
EnvironmentChange detach();

/// The program's libomp.so.5 if its libomptarget will look for `libomp.so` in vain, else nothing.
std::optional<std::filesystem::path> unreachable_runtime(const std::filesystem::path& program);

}  // namespace ompdm::cli
