// Which sources are read together to judge a finding: one by itself, as it is compiled, or several
// that are compiled alike as one, so that what they call in each other is seen.
#pragma once

#include <filesystem>
#include <vector>

#include "fix/compile_arguments.h"

namespace ompdm::cli {

struct SourceUnit {
  CompileArguments compiled;                  ///< of its first source
  std::vector<std::filesystem::path> beside;  ///< the others
  bool is_whole = false;                      ///< no other source of the program calls theirs
};

/// Each source that a finding names by itself; where it names headers alone, each that is known.
std::vector<SourceUnit> single_units(const CompileCommands& commands,
                                     const std::vector<std::filesystem::path>& named);

/// Those that it names as one, then all that are known as one; `home` is read last. Empty where
/// there is only one, or they are not compiled alike.
std::vector<SourceUnit> joined_units(const CompileCommands& commands,
                                     const std::vector<std::filesystem::path>& named,
                                     const std::filesystem::path& home);

}  // namespace ompdm::cli
