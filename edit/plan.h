// A finding's edits as replacements of the source's text.
#pragma once

#include <functional>

#include "messages.h"
#include "program.h"
#include "trail_residence.h"

namespace ompdm::edit {

/// The trail of the program, made when it is asked for.
using TrailSource = std::function<const TrailOfAll&()>;

/// The plan of a finding in one translation unit; a refusal is a part of it.
Plan plan_of(const Program& program, const Finding& finding, const Request& request,
             const TrailSource& trail);

}  // namespace ompdm::edit
