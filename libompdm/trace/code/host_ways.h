// Kernels that their program may run on the host without asking the runtime: what an if() clause
// makes. After each launch code goes to the kernel's host version if the launch failed; an if()
// leads there, or to a copy of it, past the launch.
#pragma once

#include <cstdint>

#include "trace/code/flow_graph.h"
#include "trace/code/module_code.h"

namespace ompdm::trace {

/// Whether some way leads around the launch, by its return address, to the kernel's host version.
/// False where that was inlined twice and calls nobody.
bool may_run_on_host(const ModuleCode& code, const FlowGraph& flow, std::uint64_t launch);

}  // namespace ompdm::trace
