// Operations to variables: the run's mappings replayed.
#pragma once

#include "spool_reader/draft.h"

namespace ompdm::trace {

/// Fills variables, the operations' variable, map type, `internal`, missing bytes and sites, and
/// the map lists' names. Expects operations normalised and in order, sites resolved.
void attribute(Draft& draft);

}  // namespace ompdm::trace
