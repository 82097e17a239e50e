// What the comment in a line of a random program says that the host uses there.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace ompdm::random_programs {

/// What the host does with an array at a line.
struct HostUse {
  std::string variable;  ///< as the line names it
  std::string section;   ///< of it
  bool reads = false;
  bool changes = false;
  std::set<std::string> names;  ///< that the storage may have
};

struct HostLine {
  std::vector<HostUse> uses;
  std::string when;  ///< what an if() clause has between its parentheses; empty: always
};

/// Whether that section holds what the use is of.
bool holds(const std::string& section, const HostUse& use);

/// What the line's comment says (source.h).
HostLine host_line(const std::string& line);

bool contains(const std::string& text, const std::string& part);

}  // namespace ompdm::random_programs
