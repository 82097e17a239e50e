// What the sources of a recorded program say of its kernels.
#pragma once

#include <string>
#include <vector>

#include "fix/edit_tool.h"
#include "ompdm/trace.h"

namespace ompdm::cli {

/// Asks ompdm-edit what the code of each target region that ran does with its data, and adds the
/// answers to Trace::source_facts. Only compiled sources are asked (SourceLines). Where `search`
/// names no commands, the debug information tells how sources were compiled. Returns a sentence on
/// each source, and each region, that tells nothing, with the reason. Throws Error where ompdm-edit
/// is not installed or fails.
std::vector<std::string> add_source_facts(Trace& trace, const SourceSearch& search,
                                          EditProcess& process);

}  // namespace ompdm::cli
