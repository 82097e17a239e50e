// Data kept on the device around a loop, or around statements of a block: what is written before
// them, in them and after them, once all that could make that wrong has been looked at.
#pragma once

#include "answer.h"
#include "program.h"
#include "request.h"

namespace ompdm::edit {

/// The part of a finding's edits that goes around code; nothing where it has none. Throws
/// Refusal. What is found in this translation unit is added to `plan`.
void plan_residence(const Program& program, const Finding& finding, const Request& request,
                    Plan& plan);

}  // namespace ompdm::edit
