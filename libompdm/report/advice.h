// What to do about a finding, step by step, and what stands against it. Inside the report library
// only.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ompdm/analysis.h"
#include "report/edits.h"

namespace ompdm::report {

/// One thing to do, or to look for. The lines behind the first are about it.
struct AdviceStep {
  bool is_check = false;  ///< it depends on what the program does, which no trace shows
  std::vector<AdviceLine> lines;
  const analysis::Edit* edit = nullptr;  ///< of the finding; none: it is no edit
};

/// What advice_text() has, first what is to be done in any case.
std::vector<AdviceStep> advice_steps(const analysis::Finding& finding);

/// A step behind `mark`, with its code, set as the language has it, behind `code_mark`: lines of at
/// most `width` columns.
std::string step_text(const AdviceStep& step, const analysis::Finding& finding,
                      const std::string& mark, const std::string& code_mark, std::size_t width);

/// What stands against a finding's edits, or why there are none: "unless the host reads or changes
/// it in the loop"; empty if nothing does.
std::string unless_line(const analysis::Finding& finding);

}  // namespace ompdm::report
