// A report as text. Inside the report library only.
#pragma once

#include <string>

#include "ompdm/report.h"
#include "report/tables.h"

namespace ompdm::report {

std::string text_report(Analyses analyses, const SourceNames& names, const Layout& layout);

/// The same for a document: tables in full, nothing shortened.
std::string markdown_report(Analyses analyses, const SourceNames& names, const Layout& layout);

/// Every table as CSV, each after a line `# NAME`, with a blank line between them; or one by
/// itself. Throws Error (kUsage) if there is none of that name.
std::string csv_report(Analyses analyses, const SourceNames& names, const std::string& section);

}  // namespace ompdm::report
