// Traces are read whole, and checked: every reference is to a row that is there.
#pragma once

#include <string>

#include "ompdm/trace.h"

namespace ompdm {

/// The first reference to a row that does not exist, in some words; empty if there is none.
std::string find_broken_reference(const Trace& trace);

}  // namespace ompdm
