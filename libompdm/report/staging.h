// Data that ranks staged through the host, as text, Markdown, a table and JSON. Inside the report
// library only.
#pragma once

#include <string>

#include "report/json_rows.h"
#include "report/tables.h"

namespace ompdm::report {

/// "Staged through the host between ranks: 1", and a paragraph for each; empty if there is none.
std::string staging_text(Analyses analyses, const SourceNames& names, const Layout& layout);

/// The same for a document.
std::string staging_markdown(Analyses analyses, const SourceNames& names);

/// A row a pair of directives, for programs.
Table staging_table(Analyses analyses, const SourceNames& names);

Json staging_json(Analyses analyses);

}  // namespace ompdm::report
