// What kernels may reach without naming it, as far as the program's types tell: pointers in
// `declare target` variables and in mapped tables.
#pragma once

#include "trace/draft.h"
#include "trace/symbols.h"

namespace ompdm::trace {

/// Fills the trace's device variables, and tells of its variables which are tables of pointers.
/// Needs them attributed.
void find_pointers(Draft& draft, Symbols& symbols);

}  // namespace ompdm::trace
