// Whether a loop begins where a trace has it, and a directive may be printed as code before and
// after it, by the lines of its source.
//
// A trace knows a line and names. It does not know whether that line begins a loop, whether a
// statement may stand before it, or whether a name has the same value before the loop as at the
// directive in it. What the lines do not show at a glance is told in words.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "ompdm/analysis.h"

namespace ompdm::cli {

/// Whether, as far as the text shows: a loop begins in line `loop` (from 1); a statement may stand
/// before it; the `directives`, lines too, are in the loop; and nothing in the loop declares one of
/// the `names`, or gives it another value.
bool fits_around(const std::vector<std::string>& lines, int loop,
                 const std::vector<int>& directives, const std::set<std::string>& names,
                 bool is_fortran);

/// Tells of the loops of a trace whose source is at hand as it was compiled whether they begin in
/// their line (CodeLoop::begin_unknown): they do in one that begins with `for`, or shares one out
/// by a pragma, and not in one that has no `for`, `while` or `do`. Of an optimized loop that a
/// `break` alone leaves, the line is that of the break.
void settle_begins_of_loops(Trace& trace);

/// Puts edits into words (Edit::in_scope) whose loop is not known to be so: fits_around() fails, or
/// the source is not at hand as it was compiled.
void keep_code_that_fits(analysis::Analysis& analysis);

}  // namespace ompdm::cli
