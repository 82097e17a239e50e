// What the compiler read of the source files that a trace names.
#pragma once

#include <vector>

#include "ompdm/trace.h"
#include "trace/symbols.h"

namespace ompdm::trace {

/// A row for each file, and content, that is known. Needs the sites, call places and loops.
std::vector<SourceFile> source_digests(const Trace& trace, Symbols& symbols);

}  // namespace ompdm::trace
