// How advice is told to readers of Fortran.
#pragma once

#include <string>
#include <string_view>

namespace ompdm::report {

/// Whether a source is Fortran, by the endings that compilers take for it (.f90, .F, .for, …).
bool is_fortran_source(std::string_view file);

/// Advice in which directives are written as in C, with these as the Fortran source `file` has
/// them: "!$omp target update to(u)", continued as free or fixed form wants it. What is a comment
/// within a directive of C is left out: Fortran has none.
std::string in_fortran(std::string_view file, std::string advice);

}  // namespace ompdm::report
