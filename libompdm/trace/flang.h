// Sites of Fortran that flang compiled: what it writes into names is rewritten as clang would have
// written it, so that later steps need not tell the two apart.
#pragma once

#include "trace/draft.h"
#include "trace/symbols.h"

namespace ompdm::trace {

/// Rewrites the sources and names of the notes of flang's sites, and of mapper names. A directive's
/// file, which flang (19 to 22) leaves out, is that of its debug information, else that of the
/// variables which are declared in it; a module's variable in other files is declared where debug
/// information says.
void read_flang(Draft& draft, Symbols& symbols);

}  // namespace ompdm::trace
