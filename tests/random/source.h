// Random programs as C++: a directive, a loop's head or what the host does on each line, so that
// edits are changes of lines.
#pragma once

#include <string>
#include <vector>

#include "program.h"

namespace ompdm::random_programs {

/// A source whose program runs the one that its first argument tells by number, with the input that
/// its second tells, and prints what came of it. Where the host uses an array a comment says so:
/// "// host: reads a0", "// host: changes a0", "// host: reads, changes a0 a1", with all names that
/// the storage may have there.
std::vector<std::string> source_of(const std::vector<Program>& programs);

}  // namespace ompdm::random_programs
