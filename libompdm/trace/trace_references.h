// Whether the rows of a model refer to rows that exist: asked before a model is written and after
// one was read.
#pragma once

#include <string>

#include "ompdm/trace.h"

namespace ompdm {

/// The first reference to a row that does not exist, in some words; empty if there is none.
std::string find_broken_reference(const Trace& trace);

}  // namespace ompdm
