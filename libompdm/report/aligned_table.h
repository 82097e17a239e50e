// A table set for a terminal: columns aligned, texts in as many lines as they need.
#pragma once

#include <cstddef>
#include <string>

#include "report/table.h"

namespace ompdm::report {

/// Lines with aligned columns, two blanks apart, the first one a heading. To fit, text is set in
/// several lines; where even that is too wide, columns are left out and named if they `may_spare`.
std::string aligned(const Table& reader_table, std::size_t width, bool may_spare);

}  // namespace ompdm::report
