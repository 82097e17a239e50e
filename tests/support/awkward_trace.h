// A small trace in which every field has an unusual value: what a format must keep.
#pragma once

#include "ompdm/trace.h"

namespace ompdm::test {

/// Texts with quotes, control characters and bytes that are no UTF-8, and integers at their limits.
/// Every flag and every enumerator, times that end before they begin, references to nothing.
Trace awkward_trace();

}  // namespace ompdm::test
