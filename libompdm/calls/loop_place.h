// Where a reader of the program finds a loop. A pure function of the trace.
#pragma once

#include <cstdint>
#include <vector>

#include "calls/call_order.h"

namespace ompdm::calls {

/// The place of a loop around the call at `level` of a path, `chain` (outermost first): its own, or
/// where it is a header's of a library (std::for_each), that of the call which led there from the
/// program's own code, if one did.
Frame place_of_loop(const Trace& trace, const CallOrder& order, Index<CodeLoop> loop,
                    const std::vector<Index<CallPath>>& chain, std::uint32_t level);

}  // namespace ompdm::calls
