// The report's headline and what it rests on. One line each, without a newline.
#pragma once

#include <string>

#include "report/tables.h"

namespace ompdm::report {

/// What a headline begins with that cannot speak of the whole run, since a trace is cut short.
inline constexpr const char* kInWhatIsLeft = "in what is left of the trace, ";

/// And where events of a run were lost.
inline constexpr const char* kInWhatIsRecorded = "in what was recorded of the run, ";

/// Begins a sentence about what a part of a run holds.
inline constexpr const char* kInThisPart = "in this part of the run, ";

/// The first line: what data movement cost and who caused most of it; or that nothing was recorded,
/// why, and the remedy.
std::string headline(Analyses analyses, const SourceNames& names);

/// Why the headline tells no shares, or what they are of and by which clock; empty of a single
/// recording that tells them, whose header says it.
std::string headline_basis(Analyses analyses);

}  // namespace ompdm::report
