// The tables of a comparison, one function each: BEFORE's figure, AFTER's, and the ratio of AFTER
// to BEFORE. Inside the report library only.
#pragma once

#include <vector>

#include "report/sides.h"
#include "report/table.h"

namespace ompdm::report {

/// Counts, bytes and times of all transfers, kernels and directives, and the wall.
Table compared_totals(const Sides& sides);
Table compared_directives(const Sides& sides);
Table compared_variables(const Sides& sides);
Table compared_kernels(const Sides& sides);
Table compared_loops(const Sides& sides);

/// What went, stays and came.
Table compared_findings(const Sides& sides);

/// All of the above, in this order; empty ones too.
std::vector<Table> compared_tables(const Sides& sides);

}  // namespace ompdm::report
