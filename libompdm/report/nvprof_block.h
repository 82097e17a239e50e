// The summary in the columns that nvprof printed, for eyes that know them.
#pragma once

#include <cstddef>
#include <string>

#include "report/tables.h"

namespace ompdm::report {

/// Heading, ` GPU activities:` and `      API calls:` of each recording; the name is shortened to
/// fit `width`. A row of which only the enqueueing was timed has `enqueue` for its share.
/// Of more than `most_rows` (0: all are shown) the kernels of one function are told together, and
/// then the first rows.
std::string nvprof_block(Analyses analyses, const SourceNames& names, std::size_t width,
                         std::size_t most_rows = 0);

}  // namespace ompdm::report
