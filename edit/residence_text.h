// What is written for data that stays on a device: directives before and behind the code, updates
// in it, and what goes because of them.
#pragma once

#include "answer.h"
#include "residence.h"

namespace ompdm::edit {

/// Throws Refusal where the text has no place for it.
void write_residence(const Program& program, const clang::Stmt& code, const Stay& stay,
                     const Request& request, const Residence& residence, Plan& plan);

}  // namespace ompdm::edit
