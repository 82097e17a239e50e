// A finding's edits as JSON.
#pragma once

#include "ompdm/analysis.h"
#include "report/json_rows.h"

namespace ompdm::report {

/// `of`: the recording that the finding is of, whose rows are referred to.
Json edits_json(const analysis::Finding& finding, const analysis::Analysis& of);

/// "host_uses", "kernel_changes", "host_wants_restore", "made_anew".
Json unless_json(const analysis::Finding& finding);

/// Directives that the run did not reach, for which there are no edits.
Json unreached_json(const analysis::Finding& finding, const analysis::Analysis& of);

}  // namespace ompdm::report
