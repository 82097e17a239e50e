// Runs of a program whose device memory was filled with different bytes (`ompdm check`).
#pragma once

#include "ompdm/trace.h"

namespace ompdm {

/// Fills Trace::unset_transfers: the copies from a device whose content is another one in a run
/// where fresh device memory had other bytes. `again`: a run like `trace` itself; what differs
/// between these two differs from run to run, and is left out. Contents are compared copy by copy,
/// of each directive, variable and size; all bytes of each must have been hashed.
void find_unset_transfers(Trace& trace, const Trace& other_fill, const Trace* again);

/// Whether find_unset_transfers() would find any: only then a run `again` is needed.
bool has_unset_transfers(const Trace& trace, const Trace& other_fill);

}  // namespace ompdm
