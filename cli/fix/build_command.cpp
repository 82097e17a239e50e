#include "fix/build_command.h"

#include <fmt/format.h>

#include "ompdm/error.h"
#include "shell_words.h"

namespace ompdm::cli {

namespace fs = std::filesystem;

std::string find_build_command(const fs::path& program) {
  for (fs::path at = program.parent_path(); at.has_relative_path(); at = at.parent_path()) {
    std::error_code failed;
    if (fs::exists(at / "CMakeCache.txt", failed)) {
      return "cmake --build " + shell_word(at.string());
    }
    for (const char* name : {"Makefile", "makefile", "GNUmakefile"}) {
      if (fs::exists(at / name, failed)) return "make -C " + shell_word(at.string());
    }
    if (fs::exists(at / ".git", failed)) break;
  }
  throw Error(fmt::format("no Makefile and no CMake build folder is found around {}: say how it is "
                          "built with --build 'COMMAND'",
                          program.string()),
              Error::Kind::kUsage);
}

}  // namespace ompdm::cli
