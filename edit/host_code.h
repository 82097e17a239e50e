// What the host's code of a program does with data while the data is to be kept on a device. That
// code is a loop, or lies between one directive and another.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "doubts.h"
#include "messages.h"
#include "whole_program.h"

namespace ompdm::edit {

/// Why code of a function may differ from the code that was compiled. None: it does not differ.
using DoubtAbout = std::function<std::optional<Doubt>(const FunctionDecl&, const Stmt&)>;

/// The facts in the order of the stretches. Nothing is known where code of a stretch is in doubt.
std::vector<StretchFacts> facts_of(const WholeProgram& program,
                                   const std::vector<Stretch>& stretches, const DoubtAbout& doubt);

}  // namespace ompdm::edit
