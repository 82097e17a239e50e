// Passes of loops as the page's columns, neighbours summed where there are many. Inside the report
// library only.
#pragma once

#include <cstddef>
#include <vector>

#include "ompdm/picture.h"
#include "report/page/columns.h"

namespace ompdm::report::page {

/// Adds the block "passes"; loops are numbered from `first_loop`.
void add_passes(const std::vector<std::vector<analysis::Pass>>& loops, std::size_t first_loop,
                Columns& columns);

/// At most about `most` of these; the first passes of entries stay apart.
std::vector<analysis::Pass> summed_passes(const std::vector<analysis::Pass>& passes,
                                          std::size_t most);

}  // namespace ompdm::report::page
