// Findings as text and Markdown: the summary of what could be saved, what to write, and all of one.
// Inside the report library only.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ompdm/report.h"
#include "report/tables.h"

namespace ompdm::report {

/// A finding as a reader is shown it, and the recording whose figures it has.
struct ShownFinding {
  std::size_t recording = 0;
  const analysis::Finding* finding = nullptr;
};

/// Every finding of every recording. Of runs on several inputs each id comes once: where it has
/// edits, if it has them anywhere, and where it wastes most.
std::vector<ShownFinding> shown_findings(Analyses analyses);

using analysis::kConfidences;
std::string_view confidence_of(const analysis::Finding& finding);

/// "heat.cpp:41, u, u_tmp: mapped again in each iteration"
std::string heading_of(const analysis::Finding& finding, const SourceNames& names);

/// "36 transfers, 288 MB, 164 ms; likely"
std::string cost_of(const analysis::Finding& finding);

/// "in 2 of 3 runs; not in run 3, which does not reach it"; empty of one run alone.
std::string runs_sentence(const analysis::Finding& finding);

/// Each verdict by its name for programs, with the numbers of its runs.
std::vector<std::pair<std::string, std::vector<std::size_t>>> runs_by_verdict(
    const analysis::Finding& finding);

/// The sentence for a run without findings of transfers: how far these were looked for and
/// compared, and which directives moved most bytes.
std::string none_found(Analyses analyses, const SourceNames& names);

/// What to do about a finding, and what to look for, as list items of a document.
std::string steps_markdown(const analysis::Finding& finding);

/// A section for a document, with a heading; code to write is in code blocks.
std::string findings_markdown(Analyses analyses, const SourceNames& names);

/// "Redundant: 36 of 40 copies, 288 MB of 320 MB" and a line for each of the first findings. A
/// single finding is given whole. A run without findings has a sentence instead.
std::string findings_summary(Analyses analyses, const SourceNames& names, const Layout& layout);

/// The same for a document, with every finding.
std::string findings_summary_markdown(Analyses analyses, const SourceNames& names);

/// A line for every finding, and how to see one of them whole; the sentence for a run without.
std::string finding_list(Analyses analyses, const SourceNames& names, const Layout& layout);

/// The first of several findings in a few lines each: what to write, where, and what would make it
/// wrong.
std::string short_findings(Analyses analyses, const SourceNames& names, const Layout& layout);

}  // namespace ompdm::report
