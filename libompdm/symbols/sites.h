// The place in the source of each directive and API call.
#pragma once

#include "spool_reader/draft.h"
#include "symbols/symbols.h"

namespace ompdm::trace {

/// Fills the sites. Needs the operations normalised; the runtime's own word on a line goes before
/// the kernel's name, and that before debug information.
void resolve_sites(Draft& draft, Symbols& symbols);

/// Fills the kernels and binds the launches to them. Needs the sites.
void resolve_kernels(Draft& draft);

}  // namespace ompdm::trace
