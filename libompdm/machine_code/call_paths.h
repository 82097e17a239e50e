// Call paths of directives, as a tree of calls.
#pragma once

#include "spool_reader/draft.h"
#include "symbols/symbols.h"

namespace ompdm::trace {

/// Makes Trace::call_paths, call_places and loops of what the spool notes, and lets regions and API
/// calls refer to them. Sites are resolved already.
void resolve_call_paths(Draft& draft, Symbols& symbols);

}  // namespace ompdm::trace
