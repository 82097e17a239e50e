// A finding's edits as replacements of the source's text.
#pragma once

#include <functional>

#include "messages.h"
#include "program.h"
#include "trail_residence.h"

namespace ompdm::edit {

/// Returns the trail of the program, which is made at the first call.
using TrailSource = std::function<const TrailOfAll&()>;

/// The plan of a finding in one translation unit. Where the edits cannot be made, the plan has the
/// reason.
Plan plan_of(const Program& program, const Finding& finding, const Request& request,
             const TrailSource& trail);

}  // namespace ompdm::edit
