// The tables of a database, a few of a kind a function: each adds one recording's rows. Inside the
// export library only.
#pragma once

#include <cstddef>

#include "export/database.h"
#include "ompdm/analysis.h"
#include "ompdm/trace.h"

namespace ompdm::sqlite {

/// What records refer to: traces, devices, sites, variables, kernels, loops, call paths, maps.
void add_definitions(Database& database, const Trace& trace);

/// What happened: regions, operations, launches, what devices did by their own clock, and what was
/// counted instead.
void add_events(Database& database, const Trace& trace);

/// The report's tables, under their names in its CSV with `report_` in front.
void add_report(Database& database, const analysis::Analysis& analysis);

}  // namespace ompdm::sqlite
