#include "analysis/edit_terms.h"

namespace ompdm::analysis {
namespace {

/// An edit without clauses is of all the finding's data.
std::vector<EditClause> clauses_of(const Finding& finding, const Edit& edit) {
  if (!edit.clauses.empty()) return edit.clauses;
  EditClause all;
  for (std::uint32_t i = 0; i < finding.data.size(); ++i) all.data.push_back(i);
  return {all};
}

void add_terms(const Finding& finding, const Edit& edit, EditTerm term, std::set<EditTerm>& terms) {
  for (const EditClause& clause : clauses_of(finding, edit)) {
    term.clause = clause.kind;
    term.item.clear();
    if (clause.data.empty()) terms.insert(term);
    for (const std::uint32_t number : clause.data) {
      term.item = finding.data[number].expression;
      terms.insert(term);
    }
  }
}

}  // namespace

std::set<EditTerm> terms_of(const Finding& finding) {
  std::set<EditTerm> terms;
  for (const Edit& edit : finding.edits.empty() ? finding.withheld_edits : finding.edits) {
    EditTerm term;
    term.kind = edit.kind;
    term.side = edit.anchor.side;
    term.of = edit.anchor.of;
    term.directive = edit.directive;
    term.devices = edit.devices;
    term.when = edit.when;
    term.after_taskwait = edit.after_taskwait;
    if (edit.anchor.places.empty()) add_terms(finding, edit, term, terms);
    for (const SourcePlace& place : edit.anchor.places) {
      term.place = place;
      add_terms(finding, edit, term, terms);
    }
  }
  return terms;
}

}  // namespace ompdm::analysis
