// How much of what each loop moves never changes, in words. One line each, without a newline.
#pragma once

#include <string>
#include <vector>

#include "report/tables.h"

namespace ompdm::report {

/// "134.3 of 134.4 MB a pass never changes: a (jacobi.cpp:75); loop at jacobi.cpp:70 in
/// solve", for the loops of which that is known.
std::vector<std::string> invariant_sentences(Analyses analyses, const SourceNames& names);

/// "f (u.c:8) never changes on its way in 10 passes: needed only if kernels change it on the
/// device, which transfers do not tell.": of each recording the loop that moves most so, without
/// what a finding is of.
std::vector<std::string> unchanged_sentences(Analyses analyses);

}  // namespace ompdm::report
