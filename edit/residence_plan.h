// The part of a finding's edits that goes around code: for all of its data, or for what can stay
// where some of it cannot.
#pragma once

#include "answer.h"
#include "program.h"
#include "request.h"

namespace ompdm::edit {

/// Nothing where it has none. Throws Refusal where none of its data can stay. What is found in this
/// translation unit is added to `plan`.
void plan_residence(const Program& program, const Finding& finding, const Request& request,
                    Plan& plan);

}  // namespace ompdm::edit
