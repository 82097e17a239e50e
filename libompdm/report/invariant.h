// How much of what each loop moves never changes, in words. One line each, without a newline.
#pragma once

#include <string>
#include <vector>

#include "report/tables.h"

namespace ompdm::report {

/// Whether enough of what a pass moves never changes to be worth a line.
bool has_invariant(const analysis::Iteration& row);

/// "134.3 of 134.4 MB a pass never changes: a (jacobi.cpp:75); loop at jacobi.cpp:70 in
/// solve", for the loops of which that is known.
std::vector<std::string> invariant_sentences(Analyses analyses, const SourceNames& names);

}  // namespace ompdm::report
