// Findings in words. Inside the report library only.
#pragma once

#include <string>
#include <string_view>

#include "ompdm/report.h"
#include "report/tables.h"

namespace ompdm::report {

/// "likely".
std::string_view confidence_of(const analysis::Finding& finding);

/// "mapped anew by each pass of a loop"; patterns of foreign detectors (ompdm/analysis.h) as they
/// are called, with blanks.
std::string pattern_words(const analysis::Finding& finding);

/// "heat.cpp:41, u, u_tmp: mapped anew by each pass of a loop"
std::string heading_of(const analysis::Finding& finding, const SourceNames& names);

/// "36 transfers, 288 MB, 164 ms; likely"
std::string cost_of(const analysis::Finding& finding);

/// Whether a recording could tell what is needless.
bool can_tell(const analysis::Analysis& one);

/// Whether there were events in which what is needless could be found.
bool was_looked_for(Analyses analyses);

/// The sentence for a run without findings of transfers: how far these were looked for and
/// compared, and which directives moved most bytes.
std::string none_found(Analyses analyses, const SourceNames& names);

/// A section for a document, with a heading; code to write is in code blocks.
std::string findings_markdown(Analyses analyses, const SourceNames& names);

}  // namespace ompdm::report
