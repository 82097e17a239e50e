// Names that need the whole run: of flang's descriptors, and of what is reached by a pointer.
#pragma once

#include "spool_reader/draft.h"
#include "symbols/symbols.h"

namespace ompdm::trace {

/// Rewrites the sources and names of the notes of flang's sites, and of mapper names. A directive's
/// file, which flang (19 to 22) leaves out, is that of its debug information, else that of the
/// variables which are declared in it; a module's variable in other files is declared where debug
/// information says.
void read_flang(Draft& draft, Symbols& symbols);

/// Fills the trace's device variables, and tells of its variables which are tables of pointers.
/// Needs them attributed.
void find_pointers(Draft& draft, Symbols& symbols);

}  // namespace ompdm::trace
