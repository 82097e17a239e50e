// A finding that `ompdm fix` was asked for: what is to be written, and what came of it.
#pragma once

#include "fix/edit_tool.h"
#include "fix/source_state.h"
#include "fix/verdicts.h"

namespace ompdm::cli {

struct Case {
  EditPlan plan;
  Verdict verdict;
  SourceState source;

  [[nodiscard]] bool is_open() const { return verdict.refused.empty(); }
  [[nodiscard]] bool is_planned() const { return is_open() && !plan.replacements.empty(); }
};

/// Why plans cannot be made together; empty: they can.
std::string conflict_in(const std::vector<EditPlan>& plans);

}  // namespace ompdm::cli
