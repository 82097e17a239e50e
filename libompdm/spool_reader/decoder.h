// Spool blocks to the rows of a decoded trace.
#pragma once

#include <cstddef>
#include <span>
#include <thread>
#include <vector>

#include "spool_reader/clock.h"
#include "spool_reader/draft.h"
#include "spool_reader/spool_file.h"

namespace ompdm::trace {

class Prefault {
 public:
  /// Touches the pages of these ranges in a thread, side by side from their begins, without a
  /// change of content. The ranges may be freed meanwhile. Little memory is not worth a thread.
  explicit Prefault(std::vector<std::span<std::byte>> memory);

 private:
  std::jthread thread_;  // stops when this goes
};

/// All records of the spool. Operations and regions are in the order of their thread buffers, each
/// thread buffer's in the order in which they were committed.
DecodedTrace decode(SpoolFile& file, const ClockScale& clock);

}  // namespace ompdm::trace
