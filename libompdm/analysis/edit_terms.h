// Edits in the smallest parts that two findings can have in common. Inside the analysis library
// only.
#pragma once

#include <compare>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "ompdm/analysis.h"

namespace ompdm::analysis {

/// One item of one edit at one place. Figures, and what would make the edit wrong, are no part.
struct EditTerm {
  EditKind kind = EditKind::kInsert;
  Anchor::Side side = Anchor::Side::kAt;
  Anchor::Of of = Anchor::Of::kDirective;
  SourcePlace place;
  Directive directive = Directive::kTarget;
  std::string clause;  ///< its kind; empty where the edit has none
  std::string item;    ///< as the clause has it; empty: the program has no names
  std::vector<std::int32_t> devices;
  EditWhen when = EditWhen::kAlways;
  bool after_taskwait = false;
  auto operator<=>(const EditTerm&) const = default;
};

/// Of the finding's edits, be they withheld.
std::set<EditTerm> terms_of(const Finding& finding);

}  // namespace ompdm::analysis
