// Where in a random program's source something is done, and what belongs together.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "text.h"

namespace ompdm::random_programs {

/// Where the statement at a line ends: that line, or the one with its closing brace.
std::size_t end_of(const std::vector<std::string>& lines, std::size_t line);

/// Lines from the loop's to its end, and of the functions that it calls.
std::set<std::size_t> reach_of(const std::vector<std::string>& lines, std::size_t first);

/// Lines of the program that the line is in.
std::set<std::size_t> whole_program(const std::vector<std::string>& lines, std::size_t at);

/// What the host does in loops that have nothing to do with the data on the device is done once
/// for all their passes: the line, or that of the outermost such loop that is `within`. A function
/// has one call.
std::size_t outside_loops(const std::vector<std::string>& lines,
                          const std::set<std::size_t>& within, std::size_t at, const HostUse& use);

}  // namespace ompdm::random_programs
