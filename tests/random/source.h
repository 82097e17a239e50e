// Random programs as C++.
#pragma once

#include <string>
#include <vector>

#include "program.h"

namespace ompdm::random_programs {

/// The lines of a source that runs the program with the input that its argument tells, and prints
/// what came of it.
std::vector<std::string> source_of(const Program& program);

}  // namespace ompdm::random_programs
