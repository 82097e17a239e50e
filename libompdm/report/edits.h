// The edits of a finding, as code and as sentences; what to do about it step by step, and what
// stands against it. Inside the report library only.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "ompdm/analysis.h"

namespace ompdm::report {

/// A text in which directives are written as in C, with these as Fortran has them:
/// "!$omp target update to(u)".
std::string in_fortran(std::string text);

/// The function that an edit's names have to be of; empty if there are several, or if it is not
/// known.
std::string function_of(const analysis::Edit& edit);

/// Whether an inserted directive is written only where the host or a kernel does something that no
/// trace shows.
bool is_condition(const analysis::Edit& edit);

/// A condition of more items is one sentence for all of them, without code.
inline constexpr std::size_t kMostListed = 6;

/// The code of an edit, a directive or clause each, in one line as in C. An insertion has
/// directives, a replacement has clauses. A condition has a directive for each item, since it holds
/// of each by itself. Empty if the edit has sentences alone. This is so if a name in it is not
/// known at the place, or if it takes something away. It is also so if another edit of the finding
/// that is made in any case is a sentence.
std::vector<std::string> code_of(const analysis::Finding& finding, const analysis::Edit& edit);

/// A directive or clause in lines of at most `width` characters, broken before clauses and items.
/// Lines are continued as in C, or as in the form of the Fortran source `file`. A line is wider
/// only where a single item is.
std::vector<std::string> set_code(const std::string& code, std::string_view file,
                                  std::size_t width);

/// A line of advice: a sentence, or a directive or clause of the program, whole, or a line of its
/// source.
struct AdviceLine {
  std::string text;
  bool is_code = false;
  bool is_source = false;  ///< of a hunk, with its mark: shown as it is
};

/// The edit in a sentence that names its place, then its code; sentences alone where it has none.
/// `goes_on`: it belongs to the edit before it.
std::vector<AdviceLine> edit_advice(const analysis::Finding& finding, const analysis::Edit& edit,
                                    bool goes_on);

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
