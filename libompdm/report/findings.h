// What was needless, in words: each finding with its evidence and what to write instead, and what
// the run would take without them.
#pragma once

#include <string>

#include "ompdm/report.h"
#include "report/tables.h"

namespace ompdm::report {

/// A section for a document, with a heading; code to write is in code blocks.
std::string findings_markdown(Analyses analyses, const SourceNames& names);

}  // namespace ompdm::report
