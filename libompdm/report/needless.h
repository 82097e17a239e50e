// What could be saved at a glance. Inside the report library only.
#pragma once

#include <string>

#include "ompdm/report.h"
#include "report/tables.h"

namespace ompdm::report {

/// "Needless: 36 of 40 copies, 288 of 320 MB" and a line for each of the first findings, all of a
/// single one; what is said where there is none.
std::string needless_block(Analyses analyses, const SourceNames& names, const Layout& layout);

/// The same for a document, with every finding.
std::string needless_markdown(Analyses analyses, const SourceNames& names);

/// A line for every finding, and how to see one of them whole; the sentence for a run without.
std::string finding_list(Analyses analyses, const SourceNames& names, const Layout& layout);

/// The first of several findings in at most six lines each: what to do, where, and what would make
/// it wrong.
std::string short_findings(Analyses analyses, const SourceNames& names, const Layout& layout);

}  // namespace ompdm::report
