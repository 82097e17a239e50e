// Traces that were named together: of one run (ranks of a job, processes of a script), or of one
// program that was run on several inputs.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "ompdm/analysis.h"
#include "one_run.h"

namespace ompdm::cli {

enum class Together : std::uint8_t { kOneRun, kInputs };

/// What `--as` says.
inline constexpr std::string_view kAsJob = "job";
inline constexpr std::string_view kAsInputs = "inputs";

/// As `as` says, if it does. Else runs on several inputs are what ran one after the other, of one
/// program, in no job of several ranks; anything else is one run. Where programs that ran at the
/// same time had other arguments, that is a guess, and said on stderr. Throws Error where a
/// recording is there twice, or what is to be one run cannot be (check_one_run).
Together together_of(const std::vector<OneRecording>& recordings, std::string_view as);

/// Holds the runs' findings against each other (analysis::agree). Where they are not of one build
/// this is an Error if the user has `asked` for it, else said on stderr and left alone.
void agree_on_inputs(std::vector<analysis::Analysis>& runs, bool asked);

}  // namespace ompdm::cli
