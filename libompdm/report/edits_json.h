// A finding's edits as JSON.
#pragma once

#include "ompdm/analysis.h"
#include "report/json_rows.h"

namespace ompdm::report {

Json edits_json(const analysis::Finding& finding);

/// "host_uses", "kernel_changes", "host_wants_restore", "made_anew".
Json unless_json(const analysis::Finding& finding);

/// Directives that the run did not reach, for which there are no edits.
Json unreached_json(const analysis::Finding& finding);

}  // namespace ompdm::report
