// Runs of one program on several inputs: what one run calls needless may be needed in another. Pure
// functions of analyses.
#pragma once

#include <cstdint>
#include <span>

#include "ompdm/analysis.h"

namespace ompdm::analysis {

/// Whether two recordings are of the same program, as far as they tell.
enum class SameProgram : std::uint8_t {
  kYes,         ///< by build ids
  kByName,      ///< the program's name is the same; a build id is missing
  kOtherBuild,  ///< the same name, and another build of it or of a library with directives
  kOtherProgram,
};
SameProgram same_program(const Analysis& one, const Analysis& other);

/// Numbers the runs of one program (Analysis::run), fills in what each says of every finding
/// (Finding::runs), and takes the edits from findings that a run disagrees with: these keep their
/// figures. An edit that a run lacks is no disagreement where that run came to none of its
/// directives; nor is a finding whose edits a run withholds, because it took no branch that this
/// one took.
void agree(std::span<Analysis> runs);

}  // namespace ompdm::analysis
