// A finding's edits as replacements of the source's text.
#pragma once

#include "messages.h"
#include "program.h"

namespace ompdm::edit {

/// The plan of a finding in one translation unit; a refusal is a part of it.
Plan plan_of(const Program& program, const Finding& finding, const Request& request);

}  // namespace ompdm::edit
