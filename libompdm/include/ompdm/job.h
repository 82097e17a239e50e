// The report of a job of many ranks, made from its summary alone. A pure function.
#pragma once

#include <string>
#include <string_view>

#include "ompdm/report.h"
#include "ompdm/summary.h"

namespace ompdm::report {

inline constexpr std::string_view kJobSchema = "ompdm.job/1";

/// One report of all ranks: sums, and per figure the least, median and most and in which rank;
/// ranks that are far from the others; findings once, with the number of ranks that have them. The
/// JSON is described in docs/formats/JOB.md. Ends with a newline.
std::string render_job(const summary::Summary& job, Format format, const Layout& layout = {});

}  // namespace ompdm::report
