// Loops and edits in words. Inside the report library only.
#pragma once

#include <string>
#include <vector>

#include "ompdm/analysis.h"
#include "ompdm/findings.h"
#include "report/advice.h"
#include "report/tables.h"

namespace ompdm::report {

/// "the loop at heat.cpp:54 in solve", "the calls repeated at heat.cpp:54 in main"; empty where
/// that is not known.
std::string loop_text(const analysis::facts::LoopPlace& loop);

/// "the loop in main (heat.cpp) that calls sweep and norm, which run heat.cpp:41 and heat.cpp:52"
/// where its function is known; else "the loop that runs heat.cpp:41 (in solve, or in main, which
/// calls it at heat.cpp:90)".
std::string loop_text(const analysis::UnplacedLoop& loop);

/// "(by order): the code of solve cannot be followed": why loops have no place, each reason once.
std::vector<std::string> by_order_sentences(Analyses analyses);

/// The code of the edit (code_of()) behind a sentence that names its place; where it has none,
/// sentences alone. `goes_on`: it belongs to the edit before it.
std::vector<AdviceLine> edit_advice(const analysis::Finding& finding, const analysis::Edit& edit,
                                    bool goes_on);

}  // namespace ompdm::report
