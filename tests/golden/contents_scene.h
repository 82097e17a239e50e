// The scene of what contents tell.
#pragma once

#include "ompdm/trace.h"

namespace ompdm::test {

/// jacobi, rung naive, with contents: the matrix is sent in each of 20 passes and never changes,
/// the solution goes over as it has come back; then data that a `target update` sends again and a
/// clause brings back needlessly.
Trace contents_scene();

}  // namespace ompdm::test
