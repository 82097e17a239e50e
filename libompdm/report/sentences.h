// What the report says in words around its headline: what must be known before the figures are
// believed, and the header. One line each, without a newline.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "report/tables.h"

namespace ompdm::report {

/// That the times of transfers are a model's, and which.
std::string link_sentence(const analysis::Link& link);

/// What limits the figures: a killed process, a cut file, missing callbacks, kernels that ran on
/// the host.
std::vector<std::string> warnings(const analysis::Analysis& analysis, const SourceNames& names);

/// Header lines, name and value: program, process, devices, wall, runtime.
std::vector<std::pair<std::string, std::string>> header(const analysis::Analysis& analysis);

/// What the runtime sent for its own purposes; empty if nothing.
std::string runtime_traffic(Analyses analyses);

}  // namespace ompdm::report
