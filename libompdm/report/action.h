// What to do about a finding, in a few words. Inside the report library only.
#pragma once

#include <cstddef>
#include <string>

#include "ompdm/analysis.h"
#include "report/source_names.h"

namespace ompdm::report {

/// "keep u, u_tmp on the device around the loop at heat.cpp:54"; of a finding without edits what is
/// needless, too.
std::string action_text(const analysis::Finding& finding, const SourceNames& names);

/// The same of kernels of one function that are to be changed alike: "share the loops of 3 target
/// regions in solve among many teams". `shape` is theirs.
std::string action_of_kernels(analysis::facts::SerialKernel::Shape shape, std::size_t count,
                              const std::string& function);

/// What stands against a finding's edits, or why there are none: "unless the host reads or changes
/// it in the loop"; empty if nothing does.
std::string unless_line(const analysis::Finding& finding);

}  // namespace ompdm::report
