#include "analysis/function_names.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

namespace ompdm::analysis {
namespace {

/// Whether parentheses and angle brackets in a name need not be lists.
bool has_odd_brackets(const std::string& function) {
  return function.find("operator") != std::string::npos ||
         function.find("{lambda") != std::string::npos;
}

bool is_instance(const std::string& function) {
  return !has_odd_brackets(function) && function.find('<') != std::string::npos;
}

}  // namespace

bool is_main(const std::string& function) {
  return function == "main" || function == "main program";
}

std::string without_signature(const std::string& function) {
  if (is_main(function)) return function;
  std::string whole = function;
  // Of a scope without a name there is nothing to say.
  constexpr std::string_view kNameless = "(anonymous namespace)::";
  for (std::size_t at = 0; (at = whole.find(kNameless, at)) != std::string::npos;) {
    whole.erase(at, kNameless.size());
  }
  if (has_odd_brackets(whole)) return whole;
  const std::string name = whole.substr(0, whole.find('('));
  // An instance of a template is told with its return type: "bool add_one<double>".
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t at = 0; at < name.size(); ++at) {
    if (name[at] == '<') ++depth;
    if (name[at] == '>') --depth;
    if (name[at] == ' ' && depth == 0) begin = at + 1;
  }
  return name.substr(begin);
}

std::string template_name(const std::string& function) {
  const std::string name = without_signature(function);
  if (!is_instance(name)) return name;
  std::string shared;
  int depth = 0;
  for (const char c : name) {
    if (c == '>') {
      if (--depth == 0) shared += "...>";
    } else if (c == '<') {
      if (depth++ == 0) shared += c;
    } else if (depth == 0) {
      shared += c;
    }
  }
  return shared;
}

std::string plain_name(const std::string& function) {
  std::string name = template_name(function);
  if (has_odd_brackets(name)) return name;
  if (const std::size_t scope = name.rfind("::"); scope != std::string::npos) {
    name.erase(0, scope + 2);
  }
  return name.substr(0, name.find('<'));
}

std::string common_function(std::span<const std::string> functions) {
  std::vector<std::string> names(functions.begin(), functions.end());
  std::ranges::sort(names);
  names.erase(std::ranges::unique(names).begin(), names.end());
  if (names.size() == 1) return names.front();
  std::erase_if(names, [](const std::string& name) { return name == plain_name(name); });
  if (names.empty()) return functions.empty() ? std::string() : functions.front();
  if (names.size() == 1 && !is_instance(names.front())) return names.front();
  const std::string shared = template_name(names.front());
  const bool same = std::ranges::all_of(
      names, [&](const std::string& name) { return template_name(name) == shared; });
  return same ? shared : plain_name(names.front());
}

std::string last_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

}  // namespace ompdm::analysis
