// The report that `ompdm record --report` shows: that of `ompdm report`, through its own options.
#pragma once

#include <string>
#include <vector>

namespace ompdm::cli {

/// What `ompdm report --format` may be given.
std::vector<std::string> report_formats();

/// Does what `ompdm report TRACE... --format FORMAT` does; html, which is for no terminal, goes
/// into a file beside the first trace, which is returned: report.html of trace.json,
/// NAME.report.html of NAME.json. Throws Error, also where that file is there and was not made by
/// ompdm.
std::string show_report(const std::vector<std::string>& traces, const std::string& format);

}  // namespace ompdm::cli
