// How advice is told to readers of Fortran.
#pragma once

#include <string>
#include <string_view>

namespace ompdm::report {

/// Whether a source is Fortran, by the endings that compilers take for it (.f90, .F, .for, …).
bool is_fortran_source(std::string_view file);

/// Whether it is in fixed form, by the same endings.
bool is_fixed_form(std::string_view file);

/// A text in which directives are written as in C, with these as Fortran has them:
/// "!$omp target update to(u)".
std::string in_fortran(std::string text);

}  // namespace ompdm::report
