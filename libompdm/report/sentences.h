// What the report says in words: the headline, what must be known before the figures are believed,
// and the header. One line each, without a newline.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "report/tables.h"

namespace ompdm::report {

/// The first line: what data movement cost and who caused most of it; or that nothing was recorded,
/// why, and the remedy.
std::string headline(Analyses analyses, const SourceNames& names);

/// That the times of transfers are a model's, and which.
std::string link_sentence(const analysis::Link& link);

/// What the headline's shares are of, and by which clock; empty where it tells none.
std::string headline_basis(Analyses analyses);

/// What limits the figures: a killed process, a cut file, missing callbacks, kernels that ran on
/// the host.
std::vector<std::string> warnings(const analysis::Analysis& analysis, const SourceNames& names);

/// Header lines, name and value: program, process, devices, wall, runtime.
std::vector<std::pair<std::string, std::string>> header(const analysis::Analysis& analysis);

/// What the runtime sent for its own purposes; empty if nothing.
std::string runtime_traffic(Analyses analyses);

}  // namespace ompdm::report
