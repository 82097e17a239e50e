// Data clauses that did not do what they say, as text and Markdown. Inside the report library only.
#pragma once

#include <string>

#include "ompdm/report.h"
#include "report/tables.h"

namespace ompdm::report {

/// The words for a stake in JSON and in text, in the order of facts::ClauseEffect::Stake.
inline constexpr const char* kStakes[] = {"wrong_values", "hazard", "no_effect"};

/// "Clauses that do not do what they say: 2", and a paragraph for each; empty if there is none.
std::string clauses_text(Analyses analyses, const SourceNames& names, const Layout& layout);

/// The same for a document.
std::string clauses_markdown(Analyses analyses, const SourceNames& names);

/// "; data clauses of 5 of 5 directives checked", behind what else was watched. Empty where events
/// are missing.
std::string clauses_checked(Analyses analyses);

/// How many directives the rules looked at; empty where they looked at all.
std::string clauses_unchecked(const analysis::Analysis& one);

/// One row a finding, for programs.
Table mapping_table(Analyses analyses, const SourceNames& names);

}  // namespace ompdm::report
