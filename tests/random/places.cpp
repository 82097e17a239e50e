#include "places.h"

#include <algorithm>

#include "pragmas/directive.h"

namespace ompdm::random_programs {
namespace {

/// Whether a line is of a kernel or a directive that names the array, or swaps its pointer.
bool matters(const std::vector<std::string>& lines, std::size_t at, const HostUse& use) {
  const std::string& line = lines[at];
  const bool is_swap = contains(line, "std::swap(");
  if (!is_swap && !contains(line, "#pragma omp target") && !contains(lines[at - 1], "parallel for"))
    return false;
  return std::ranges::any_of(use.names, [&](const std::string& name) {
    return is_swap ? contains(line, name) : contains(line, name + '[');
  });
}

}  // namespace

std::size_t end_of(const std::vector<std::string>& lines, std::size_t line) {
  if (pragmas::stands_alone(lines[line])) return line;
  if (contains(lines[line], "#pragma")) ++line;
  int depth = 0;
  for (std::size_t at = line; at < lines.size(); ++at) {
    depth += static_cast<int>(std::ranges::count(lines[at], '{'));
    depth -= static_cast<int>(std::ranges::count(lines[at], '}'));
    if (depth <= 0) return at;
  }
  return line;
}

std::set<std::size_t> reach_of(const std::vector<std::string>& lines, std::size_t first) {
  std::set<std::size_t> reached;
  std::vector<std::size_t> open = {first};
  // Functions are looked for in the same namespace: from its head on.
  std::size_t head = first;
  while (head > 0 && !lines[head].starts_with("namespace")) --head;
  while (!open.empty()) {
    const std::size_t begin = open.back();
    open.pop_back();
    for (std::size_t at = begin; at <= end_of(lines, begin); ++at) {
      if (!reached.insert(at).second) continue;
      const std::size_t name = lines[at].find_first_not_of(' ');
      const std::size_t paren = lines[at].find('(');
      if (name == std::string::npos || lines[at][name] != 'f' || paren == std::string::npos)
        continue;
      const std::string call = ' ' + lines[at].substr(name, paren - name + 1);
      for (std::size_t there = head; there < first; ++there) {
        if (contains(lines[there], "static void" + call)) open.push_back(there);
      }
    }
  }
  return reached;
}

std::set<std::size_t> whole_program(const std::vector<std::string>& lines, std::size_t at) {
  std::set<std::size_t> all;
  while (at > 0 && !lines[at].starts_with("namespace")) --at;
  for (++at; at < lines.size() && !lines[at].starts_with("namespace"); ++at) all.insert(at);
  return all;
}

std::size_t outside_loops(const std::vector<std::string>& lines,
                          const std::set<std::size_t>& within, std::size_t at, const HostUse& use) {
  const auto depth = [&](std::size_t line) { return lines[line].find_first_not_of(' '); };
  std::size_t outer = at;
  for (std::size_t here = at;;) {
    std::size_t up = here - 1;
    while (up > 0 && depth(up) >= depth(here)) --up;
    const std::string& head = lines[up];
    if (contains(head, "static void f")) {
      const std::size_t name = head.find(" f") + 1;
      const std::string call = head.substr(name, head.find('(', name) + 1 - name);
      here = up + 1;
      while (here < lines.size() && lines[here].find(call) != depth(here)) ++here;
      if (here == lines.size()) return outer;
      continue;
    }
    if (!contains(head, "for (int t") || !within.contains(up)) return outer;
    for (const std::size_t line : reach_of(lines, up)) {
      if (matters(lines, line, use)) return outer;
    }
    outer = here = up;
  }
}

}  // namespace ompdm::random_programs
