// A part of a recording by itself. Pure.
#pragma once

#include "ompdm/trace.h"

namespace ompdm {

/// What of a trace was at work at some time from `from` to `to` (nanoseconds since the attach),
/// with its own times, and what that belongs to: the regions of such operations, launches and
/// activities too. Definitions are all there, what was counted is left out. The trace's `detail` is
/// "part", told from `from` to `to` as far as the trace tells of them, so that nobody takes it for
/// the whole run.
Trace window_of(const Trace& trace, Nanoseconds from, Nanoseconds to);

}  // namespace ompdm
