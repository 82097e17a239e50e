// What the host's code of a program does with data while the data is to stay on a device: in a
// loop, or on the way from one directive to another.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "doubts.h"
#include "messages.h"
#include "whole_program.h"

namespace ompdm::edit {

/// Why code of a function may not be what was compiled; none: it is.
using DoubtAbout = std::function<std::optional<Doubt>(const FunctionDecl&, const Stmt&)>;

/// In the order of the questions. Nothing is known where code of the stretch is in doubt.
std::vector<StretchFacts> facts_of(const WholeProgram& program,
                                   const std::vector<Stretch>& stretches, const DoubtAbout& doubt);

}  // namespace ompdm::edit
