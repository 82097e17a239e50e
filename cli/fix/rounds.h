// Further rounds of `ompdm fix`: what is found of a program with the edits that were verified, when
// it is recorded again. A process that sees the changed sources in the place of the user's own
// plans its edits.
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

/// Verdicts with their plans, as one process of this program tells them to another.
std::string plans_text(const std::vector<Verdict>& verdicts);

struct NextRound {
  std::filesystem::path commands;  ///< the folder of compile_commands.json
  std::filesystem::path tree;
  bool only_proven = false;
  bool asserts = false;
};

/// Verdicts on the findings of what the sandbox recorded last on the first input, planned. None
/// where they cannot be had.
std::vector<Verdict> next_verdicts(const Sandbox& sandbox, const NextRound& asked);

}  // namespace ompdm::cli
