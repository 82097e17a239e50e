// What is said of findings where the recordings are of runs on several inputs. Inside the report
// library only.
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

}  // namespace ompdm::report
