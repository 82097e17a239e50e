// How much of what a loop moves never changes. Inside the analysis library only.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/repeats.h"

namespace ompdm::analysis {

/// Bytes a pass, both ways, of pieces whose content was the same in every pass that was looked at:
/// one for each loop of loops_of(); none for loops of which no content was compared. A piece is
/// host storage that crosses to or from one device; each entry into a loop is looked at by itself.
std::vector<std::optional<std::uint64_t>> invariant_bytes(const Trace& trace,
                                                          const LoopTable& loops);

}  // namespace ompdm::analysis
