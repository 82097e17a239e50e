// Where the program's own loop is: from its code, or else as far as a call chain tells. Inside the
// analysis library only.
#pragma once

#include <string>
#include <vector>

#include "analysis/repeats.h"
#include "analysis/tables.h"
#include "ompdm/edits.h"
#include "ompdm/facts.h"
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

/// Where the code has the loop; empty if that is not known, or is no place to write anything.
SourcePlace source_place(const Trace& trace, const Loop& loop);

/// The same, and whether the compiler left a loop there.
facts::LoopPlace place_of_loop(const Trace& trace, const Loop& loop);

/// A line of the function that holds the loop, from which on what it declares is declared in the
/// loop: its own, or the first of its directives there. Nothing is known where the loop is not in
/// the code.
SourcePlace body_place(const Trace& trace, const DirectiveTable& directives, const Loop& loop);

/// The loops of its function that are around a loop, from it outwards, as long as nothing recorded
/// tells how often they entered it: a loop that holds nothing but this one.
std::vector<Index<CodeLoop>> loops_around(const Trace& trace, const LoopTable& loops,
                                          const Loop& loop);

/// Where one of these is.
SourcePlace source_place(const CodeLoop& loop);

/// The loop as a place of edits; sites are those of a pass.
Anchor loop_anchor(const Trace& trace, const Loop& loop, const std::vector<Index<Site>>& sites);

}  // namespace ompdm::analysis
