// Data clauses that did not do what they say, as text and Markdown. Inside the report library only.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ompdm/report.h"
#include "report/findings.h"
#include "report/tables.h"

namespace ompdm::report {

using analysis::kStakes;

/// The word for the stake of a finding of this family.
std::string_view stake_of(const analysis::Finding& finding);

/// The same in text: "wrong values".
std::string spoken_stake(const analysis::Finding& finding);

/// "Clauses that do not do what they say: 2", and a paragraph for each; empty if there is none.
std::string clauses_text(Analyses analyses, const SourceNames& names, const Layout& layout);

/// A line a finding, numbered on from `first`.
std::string clauses_list(Analyses analyses, const SourceNames& names, const Layout& layout,
                         std::size_t first);

/// The same for a document.
std::string clauses_markdown(Analyses analyses, const SourceNames& names);

/// How many directives the rules looked at; empty where they looked at all.
std::string clauses_unchecked(const analysis::Analysis& one);

/// Findings of all recordings, those with wrong values first. An id comes once: where most is at
/// stake.
std::vector<ShownFinding> shown_clauses(Analyses analyses);

/// One row a finding, for programs.
Table mapping_table(Analyses analyses, const SourceNames& names);

}  // namespace ompdm::report
