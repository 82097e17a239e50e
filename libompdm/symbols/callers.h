// Functions that led to a directive.
#pragma once

#include <string>
#include <vector>

#include "spool_reader/draft.h"
#include "symbols/symbols.h"

namespace ompdm::trace {

/// Whether a module is the OpenMP runtime, by its path.
bool is_runtime_library(const std::string& path);

/// The runtime's, or the C library's.
bool is_foreign_library(const std::string& path);

/// The chain of inlined calls that a directive is in; empty if there is none. A directive's own
/// call may have no place in the line table: then the debug information knows only what it was
/// inlined into (line 0), or takes it for part of what stands before it. The runtime's arguments,
/// or the kernel's name, which `site` has, know better.
std::vector<Frame> inlined_at(const Site& site, const CodePlace& place);

/// The program's functions of a chain of return addresses, up to main.
std::vector<Frame> callers_of(const SiteExtra& extra, const std::vector<Module>& modules,
                              Symbols& symbols);

}  // namespace ompdm::trace
