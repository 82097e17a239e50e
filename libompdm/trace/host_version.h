// What a kernel's host version, which is run where the device did not run it, tells of the call
// that launches the kernel: compilers leave that call without a place, and the host version, which
// they inline right behind it, with one.
#pragma once

#include "trace/symbols.h"

namespace ompdm::trace {

/// Gives a kernel's site the chain of inlined calls that it is in, where some of that is not known.
void learn_inlined_calls(Site& site, Symbols& symbols);

}  // namespace ompdm::trace
