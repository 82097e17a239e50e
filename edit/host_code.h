// What the host's code of a program does with data while the data is to stay on a device: in a
// loop, or on the way from one directive to another.
#pragma once

#include <vector>

#include "messages.h"
#include "whole_program.h"

namespace ompdm::edit {

/// In the order of the questions.
std::vector<StretchFacts> facts_of(const WholeProgram& program,
                                   const std::vector<Stretch>& stretches);

}  // namespace ompdm::edit
