#include "text.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "pragmas/directive.h"
#include "pragmas/item.h"

namespace ompdm::random_programs {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

bool holds(const std::string& section, const HostUse& use) {
  return section == use.section ||
         section == fmt::format("{}[0:n{}]", use.variable, use.variable.substr(1));
}

HostLine host_line(const std::string& line) {
  static const std::string kHead = "// host: ";
  HostLine found;
  const std::size_t begin = line.find(kHead);
  if (begin == std::string::npos) return found;
  const std::size_t when = std::min(line.find(" if(", begin), line.size());
  found.when = pragmas::Directive(line.substr(when)).argument("if");
  std::istringstream words(line.substr(begin + kHead.size(), when - begin - kHead.size()) + ';');
  for (std::string use; std::getline(words, use, ';');) {
    HostUse& one = found.uses.emplace_back();
    std::istringstream parts(use);
    parts >> one.section;
    one.variable = pragmas::variable_of(one.section);
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
