// The scene of one program that was run on several inputs.
#pragma once

#include <vector>

#include "ompdm/trace.h"

namespace ompdm::test {

/// A wave code. On the first input two arrays are mapped anew by 12 passes of a time loop, and
/// nothing changes either in between; a table is sent with each, too. On the second the host
/// changes the table in each pass. The third takes no time step.
std::vector<Trace> inputs_scene();

}  // namespace ompdm::test
