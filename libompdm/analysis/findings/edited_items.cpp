#include "analysis/findings/edited_items.h"

namespace ompdm::analysis {
namespace {

/// The items of an edit that changes what directives have.
std::set<ItemAt> items_of(const Finding& finding, const Edit& edit) {
  std::set<ItemAt> items;
  if (edit.kind == EditKind::kInsert || edit.kind == EditKind::kKeep) return items;
  for (const SourcePlace& place : edit.anchor.places) {
    for (const EditClause& clause : edit.clauses) {
      for (const std::uint32_t number : clause.data) {
        items.emplace(place, finding.data[number].expression);
      }
    }
  }
  return items;
}

bool is_of_motion(const Edit& edit) {
  return edit.directive == Directive::kTargetUpdate || edit.directive == Directive::kApi;
}

}  // namespace

std::set<ItemAt> rewritten_items(const Finding& finding) {
  std::set<ItemAt> all;
  for (const Edit& edit : finding.edits) {
    if (!is_of_motion(edit)) all.merge(items_of(finding, edit));
  }
  return all;
}

}  // namespace ompdm::analysis
