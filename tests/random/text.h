// What stands in a line of a random program: a directive and its clauses, or what the host uses.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace ompdm::random_programs {

/// The clauses of a directive: "map(to: " and its items.
struct TextClause {
  std::string head;
  std::vector<std::string> items;
};

struct TextDirective {
  std::string name;  ///< with what stands before it
  std::vector<TextClause> clauses;
};

TextDirective parse(const std::string& line);

/// Empty if nothing is left that it could do.
std::string text_of(const TextDirective& directive);

/// A directive's device clause with a blank before it; empty: it has none.
std::string device_of(const std::string& line);

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
  std::string when;  ///< an if() clause; empty: always
};

/// Whether that section holds what the use is of.
bool holds(const std::string& text, const HostUse& use);

/// What the line's comment says (source.h).
HostLine host_line(const std::string& line);

bool contains(const std::string& text, const std::string& part);

/// Whether it is a directive that nothing belongs to.
bool stands_alone(const std::string& line);

}  // namespace ompdm::random_programs
