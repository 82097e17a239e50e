// What the dynamic loader would load for a program, asked of the loader itself (as ldd does)
// without running the program.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace ompdm::cli {

struct LoadedLibrary {
  std::string name;            ///< as asked for: "libomp.so.5"
  std::filesystem::path path;  ///< where it was found; empty if it was not
};

/// The libraries that `program` (a path) starts with under this process's environment, in load
/// order; of a library, which names no interpreter, those that it brings into a program like this
/// command. Empty if the loader could not be asked.
std::vector<LoadedLibrary> loaded_libraries(const std::filesystem::path& program,
                                            const std::string& interpreter);

/// The library whose name starts with `prefix`, or null.
const LoadedLibrary* find_library(const std::vector<LoadedLibrary>& libraries,
                                  std::string_view prefix);

/// Where a dlopen("NAME") without any RUNPATH would find a library under this process's
/// environment: LD_LIBRARY_PATH, the loader's cache, the system's folders. Empty if nowhere.
std::filesystem::path search_library(const std::string& name);

/// The same for a call made from a library at `caller`, whose run path is searched as well.
std::filesystem::path search_library_from(const std::string& name,
                                          const std::filesystem::path& caller);

}  // namespace ompdm::cli
