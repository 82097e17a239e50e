// Further rounds of `ompdm fix`. The program with the verified edits is recorded again, and its
// findings are edited. A process that sees the changed sources in place of the user's own plans
// these edits.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "fix/compile_arguments.h"
#include "fix/sandbox.h"
#include "fix/verdicts.h"

namespace ompdm::cli {

/// Writes how sources are compiled as a compile_commands.json. Returns its folder, below `folder`.
/// Throws Error.
std::filesystem::path write_commands(const std::vector<CompileArguments>& all,
                                     const std::filesystem::path& folder);

/// Verdicts with their plans, in the format between two processes of this program.
std::string plans_text(const std::vector<Verdict>& verdicts);

struct NextRound {
  std::filesystem::path commands;  ///< the folder of compile_commands.json
  std::filesystem::path tree;
  bool only_proven = false;
  bool asserts = false;
};

/// Planned verdicts on the findings of the sandbox's last recording of the first input. Empty where
/// they cannot be had.
std::vector<Verdict> next_verdicts(const Sandbox& sandbox, const NextRound& asked);

}  // namespace ompdm::cli
