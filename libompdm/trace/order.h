// The draft's rows in the order of time: lanes are decoded one after the other.
#pragma once

#include "trace/draft.h"

namespace ompdm::trace {

/// Puts regions, operations and launches in the order of their begin, and their references with
/// them.
void order_by_begin(Draft& draft);

/// Forgets what the changes of its events have left behind.
void tidy(Trace& trace);

}  // namespace ompdm::trace
