#include "text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

namespace ompdm::random_programs {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

bool stands_alone(const std::string& line) {
  return contains(line, "#pragma") && (contains(line, "update") || contains(line, "enter data") ||
                                       contains(line, "exit data") || contains(line, "taskwait"));
}

TextDirective parse(const std::string& line) {
  TextDirective directive;
  std::size_t at = line.find('(');
  std::size_t begin = at == std::string::npos ? line.size() : line.rfind(' ', at);
  // "map(to: " has a blank before its items, "from(" has none.
  directive.name = line.substr(0, begin);
  while (begin < line.size()) {
    const std::size_t open = line.find('(', begin);
    if (open == std::string::npos) break;
    const std::size_t close = line.find(')', open);
    const std::size_t colon = line.find(": ", open);
    const bool has_kind = colon < close && !contains(line.substr(open, colon - open), "[");
    const std::size_t items = has_kind ? colon + 2 : open + 1;
    TextClause clause;
    clause.head = line.substr(begin + 1, items - begin - 1);
    for (std::size_t from = items; from < close;) {
      const std::size_t to = std::min(line.find(", ", from), close);
      clause.items.push_back(line.substr(from, to - from));
      from = to + 2;
    }
    directive.clauses.push_back(std::move(clause));
    begin = close + 1;
  }
  return directive;
}

/// Empty if nothing is left that it could do.
std::string text_of(const TextDirective& directive) {
  std::string text = directive.name;
  bool any = false;
  for (const TextClause& clause : directive.clauses) {
    if (clause.items.empty()) continue;
    any = any || clause.head.starts_with("map(") || clause.head == "to(" || clause.head == "from(";
    text += fmt::format(" {}{})", clause.head, fmt::join(clause.items, ", "));
  }
  return any || !(contains(text, "data") || contains(text, "update")) ? text : "";
}

std::string device_of(const std::string& line) {
  const std::size_t begin = line.find(" device(");
  if (begin == std::string::npos) return "";
  return line.substr(begin, line.find(')', begin) + 1 - begin);
}

bool holds(const std::string& text, const HostUse& use) {
  const std::string whole = fmt::format("{}[0:n{}]", use.variable, use.variable.substr(1));
  return contains(text, use.section) || contains(text, whole);
}

HostLine host_line(const std::string& line) {
  static const std::string kHead = "// host: ";
  HostLine found;
  const std::size_t begin = line.find(kHead);
  if (begin == std::string::npos) return found;
  const std::size_t when = std::min(line.find(" if(", begin), line.size());
  if (when < line.size()) found.when = line.substr(when + 1);
  std::istringstream words(line.substr(begin + kHead.size(), when - begin - kHead.size()) + ';');
  for (std::string use; std::getline(words, use, ';');) {
    HostUse& one = found.uses.emplace_back();
    std::istringstream parts(use);
    parts >> one.section;
    one.variable = one.section.substr(0, one.section.find('['));
    bool of = false;
    for (std::string word; parts >> word;) {
      if (of) one.names.insert(word);
      one.reads = one.reads || word == "reads";
      one.changes = one.changes || word == "changes";
      of = of || word == "of";
    }
  }
  return found;
}

}  // namespace ompdm::random_programs
