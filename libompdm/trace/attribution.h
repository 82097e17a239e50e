// Which variable and which site every operation belongs to: a replay of all operations in the order
// in which they took effect, against what lies on the devices and on the host at that point.
#pragma once

#include "trace/draft.h"

namespace ompdm::trace {

/// Fills variables, the operations' variable, map type, `internal`, missing bytes and sites, and
/// the map lists' names. Expects operations normalised and in order, sites resolved.
void attribute(Draft& draft);

}  // namespace ompdm::trace
