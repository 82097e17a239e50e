// What the report says in words around its headline: what must be known before the figures are
// believed, and the header. One line each, without a newline.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/tables.h"

namespace ompdm::report {

/// "a model of pcie4x16", "a model of pcie4x16 and of kernels 20 times as fast".
std::string link_name(const analysis::Link& link);

/// That the times of transfers are a model's, and which.
std::string link_sentence(const analysis::Link& link);

/// Which part of the run is told event by event, of a recording that tells a part only.
std::string told_part(const analysis::Analysis& analysis);

/// What figures are of where events are missing (analysis::lacks_events).
std::string left_part(const analysis::Analysis& analysis);

/// What limits the figures: a killed process, a cut file, missing callbacks, kernels that ran on
/// the host.
std::vector<std::string> warnings(const analysis::Analysis& analysis, const SourceNames& names);

/// "device time 113 ms (union of copies and kernels)", with the clock where it is not the host's
/// alone: of all recordings together.
std::string device_time(Analyses analyses);

/// Header lines, name and value: program, process, devices, wall, runtime.
std::vector<std::pair<std::string, std::string>> header(const analysis::Analysis& analysis);

/// The value of one of these lines; empty if there is no such line.
std::string header_value(const analysis::Analysis& analysis, std::string_view name);

/// What the runtime sent for its own purposes; empty if nothing.
std::string runtime_traffic(Analyses analyses);

}  // namespace ompdm::report
