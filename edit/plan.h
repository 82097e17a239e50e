// From a finding's edits to text: all of them, or the statement that is in the way.
#pragma once

#include "answer.h"
#include "program.h"
#include "request.h"

namespace ompdm::edit {

Plan plan(const Program& program, const Finding& finding, const Request& request);

}  // namespace ompdm::edit
