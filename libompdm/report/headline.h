// The first line of a report, and what is said of several runs.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "report/tables.h"

namespace ompdm::report {

/// Whether these are runs of one program on several inputs (analysis::agree).
bool are_inputs(Analyses analyses);

/// A finding as a reader is shown it, and which recording's figures are its own.
struct ToldFinding {
  std::size_t recording = 0;
  const analysis::Finding* finding = nullptr;
};

/// Every finding of every recording; of runs on several inputs each id once, where it has edits if
/// it has them anywhere, and wasted most.
std::vector<ToldFinding> told_findings(Analyses analyses);

/// "in 2 of 3 runs; not in run 3, which does not reach it"; empty of one run alone.
std::string runs_sentence(const analysis::Finding& finding);

/// Each verdict by its name for programs, with the numbers of its runs.
std::vector<std::pair<std::string, std::vector<std::size_t>>> runs_by_verdict(
    const analysis::Finding& finding);

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
