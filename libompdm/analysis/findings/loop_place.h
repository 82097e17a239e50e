// Where the program's own loop is, as far as a call chain tells: OpenMP's tools interface and the
// debug information know the directives in a loop, not the loop. Inside the analysis library only.
#pragma once

#include <string>
#include <vector>

#include "ompdm/trace.h"

namespace ompdm::analysis {

/// "the loop in main (heat.cpp) that calls sweep and norm, which run heat.cpp:41 and heat.cpp:52"
/// where the directives' functions have nothing but main in common; else "the loop that runs
/// heat.cpp:41 (in solve, or in main, which calls it at heat.cpp:90)". Sites are those of a pass;
/// their call chains are those of the first time that each was met. `innermost`: another loop, or
/// several calls, run it again and again.
std::string loop_place(const Trace& trace, const std::vector<Index<Site>>& sites,
                       bool innermost = false);

/// The innermost function that such a loop can be in: "main". Empty if the call chains do not tell.
std::string loop_function(const Trace& trace, const std::vector<Index<Site>>& sites);

}  // namespace ompdm::analysis
