// The report for people: headline, header, nvprof's block, then movement by directive, by variable
// and by loop.
#pragma once

#include <string>

#include "ompdm/report.h"
#include "report/tables.h"

namespace ompdm::report {

std::string text_report(Analyses analyses, const SourceNames& names, const Layout& layout);

/// The same for a document: tables in full, nothing shortened.
std::string markdown_report(Analyses analyses, const SourceNames& names, const Layout& layout);

/// Every table as CSV, each after a line `# NAME`, with a blank line between them.
std::string csv_report(Analyses analyses, const SourceNames& names);

}  // namespace ompdm::report
