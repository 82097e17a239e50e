// One recording as the page's views over time read it. Inside the report library only.
#pragma once

#include <cstddef>
#include <string>

#include "ompdm/analysis.h"
#include "ompdm/picture.h"
#include "ompdm/trace.h"
#include "report/page/columns.h"

namespace ompdm::report::page {

/// Where a recording's rows begin in the report's tables, which are those of all recordings in
/// turn.
struct RowOffsets {
  std::size_t directives = 0;
  std::size_t variables = 0;
  std::size_t iterations = 0;
  std::size_t findings = 0;
};

/// What goes into the page of one recording: JSON that says what there is, and the numbers.
struct Timeline {
  Json head;
  std::string base64;
};

/// `most`: events that are shown one by one, of all recordings together.
Timeline timeline_of(const Trace& recorded, const analysis::Picture& picture,
                     const analysis::Analysis& analysis, const RowOffsets& offsets,
                     std::size_t most);

}  // namespace ompdm::report::page
