// Random programs as C++: a directive, a loop's head or what the host does on each line, so that
// edits are changes of lines.
#pragma once

#include <string>
#include <vector>

#include "program.h"

namespace ompdm::random_programs {

/// A source whose program runs the one that its first argument tells by number, with the input that
/// its second tells, and prints what came of it. Where the host uses arrays a comment says so:
/// "// host: a0[0:n0] reads of a0 a1; a2[0:h2] changes of a2 if(t1 % 3 == 0)", with all names
/// that the storage may have there, and when, if not always.
std::vector<std::string> source_of(const std::vector<Program>& programs);

}  // namespace ompdm::random_programs
