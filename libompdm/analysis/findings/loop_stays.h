// Around which of nested loops data could stay on its device that their passes map anew. Inside the
// analysis library only.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/findings/findings.h"
#include "analysis/findings/surplus.h"

namespace ompdm::analysis {

/// One piece of storage that stays while a loop runs that was entered once, and what that spares.
struct LoopStay {
  std::uint32_t entry = 0;              ///< position in Evidence::enclosing
  std::uint32_t alias = 0;              ///< Aliases::of
  bool strays = false;                  ///< its name stood for other memory, too
  std::vector<std::uint32_t> mappings;  ///< positions in Evidence::mappings, in their order
  Surplus surplus;
  OtherMappings others;
};

/// Sorted by entry. Of nested loops the innermost: the nearer a stay is to the passes, the less
/// code of the host's could need the data meanwhile. An outer one takes its place if contents show
/// that it spares a tenth more. What one name stands for in turn stays around the same loop.
std::vector<LoopStay> loop_stays(const Evidence& evidence);

}  // namespace ompdm::analysis
