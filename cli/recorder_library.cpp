#include "recorder_library.h"

#include <fmt/format.h>

#include <vector>

#include "ompdm/error.h"

namespace ompdm::cli {

namespace fs = std::filesystem;

fs::path find_own_library(const std::string& name) {
  const fs::path prefix = fs::read_symlink("/proc/self/exe").parent_path().parent_path();
  // The last is where the .deb has it: the system's linker looks for no plugin.
  const std::vector<fs::path> folders = {prefix / OMPDM_LIBDIR, prefix / "lib",
                                         prefix / "lib" / OMPDM_ARCHITECTURE, prefix / "lib64",
                                         prefix / "lib" / OMPDM_ARCHITECTURE / "ompdm"};
  for (const fs::path& folder : folders) {
    std::error_code error;
    const fs::path library = folder / name;
    if (fs::is_regular_file(library, error)) return fs::canonical(library);
  }
  throw Error(
      fmt::format("{}: not found in {}, {} or {}: install the command and the "
                  "library under one prefix (cmake --install)",
                  name, folders[0].string(), folders[1].string(), folders[2].string()));
}

fs::path find_recorder() { return find_own_library("libompdm.so"); }

}  // namespace ompdm::cli
