// The call paths of a trace, and the loops of the code around their calls.
#pragma once

#include "trace/draft.h"
#include "trace/symbols.h"

namespace ompdm::trace {

/// Makes Trace::call_paths, call_places and loops of what the spool notes, and lets regions and API
/// calls refer to them. Sites are resolved already.
void resolve_call_paths(Draft& draft, Symbols& symbols);

}  // namespace ompdm::trace
