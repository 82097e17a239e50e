// How advice is told to readers of Fortran.
#pragma once

#include <string>
#include <string_view>

#include "ompdm/report.h"

namespace ompdm::report {

/// Whether a source of Fortran (is_fortran_source) is in fixed form, by its ending.
bool is_fixed_form(std::string_view file);

/// A text in which directives are written as in C, with these as Fortran has them:
/// "!$omp target update to(u)".
std::string in_fortran(std::string text);

}  // namespace ompdm::report
