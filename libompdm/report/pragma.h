// Directives as the language of a source has them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "ompdm/analysis.h"
#include "ompdm/report.h"

namespace ompdm::report {

/// Whether a source of Fortran (is_fortran_source) is in fixed form, by its ending.
bool is_fixed_form(std::string_view file);

/// A text in which directives are written as in C, with these as Fortran has them:
/// "!$omp target update to(u)".
std::string in_fortran(std::string text);

/// The function that an edit's names have to be of; empty where that is not one, or not known.
std::string function_of(const analysis::Edit& edit);

/// Whether an inserted directive is written only where the host or a kernel does something that no
/// trace shows.
bool is_condition(const analysis::Edit& edit);

/// How many items the clauses of an edit have.
std::size_t count_of(const analysis::Edit& edit);

/// Beyond this many, a condition is told for all of its items together, without code.
inline constexpr std::size_t kMostListed = 6;

/// The code of an edit, a directive or a clause each, in one line as C has it: the directives of an
/// insertion, the clauses of a replacement. A condition holds of each item by itself: a directive
/// an item. Empty where the edit is in words: a name of it is not one of the place, another edit of
/// the finding that is made in any case is in words, or it takes something away.
std::vector<std::string> code_of(const analysis::Finding& finding, const analysis::Edit& edit);

/// A directive or clause in lines of at most `width` characters, broken before clauses and items,
/// and continued as C, or the form of the Fortran source `file`, has it. A line is wider only where
/// a single item is.
std::vector<std::string> set_code(const std::string& code, std::string_view file,
                                  std::size_t width);

}  // namespace ompdm::report
