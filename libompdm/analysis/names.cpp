#include "analysis/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <string_view>

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
  // Scopes without a name are left out.
  constexpr std::string_view kNameless = "(anonymous namespace)::";
  for (std::size_t at = 0; (at = whole.find(kNameless, at)) != std::string::npos;) {
    whole.erase(at, kNameless.size());
  }
  if (has_odd_brackets(whole)) return whole;
  const std::string name = whole.substr(0, whole.find('('));
  // An instantiation of a template has its return type in its name: "bool add_one<double>".
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

namespace {

/// "u" of "u(1:n)"; in C only a call ends so, and "*(p)".
std::string without_fortran_section(const std::string& expression) {
  if (!expression.ends_with(')')) return expression;
  int depth = 0;
  for (std::size_t at = expression.size(); at-- > 0;) {
    if (expression[at] == ')') ++depth;
    if (expression[at] == '(') --depth;
    if (depth > 0) continue;
    const bool is_array = at > 0 && (std::isalnum(static_cast<unsigned char>(expression[at - 1])) ||
                                     expression[at - 1] == '_');
    const bool is_section = expression.find(':', at) != std::string::npos;
    return is_array && is_section ? expression.substr(0, at) : expression;
  }
  return expression;
}

}  // namespace

std::string size_text(std::uint64_t bytes) {
  constexpr const char* kUnits[] = {"B", "KB", "MB", "GB", "TB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  // A value that would be written as 1000 of a unit is written as 1 of the next.
  for (; value >= 999.5 && unit + 1 < std::size(kUnits); ++unit) value /= 1000;
  if (unit == 0) return fmt::format("{} B", bytes);
  return fmt::format("{:.{}f} {}", value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0, kUnits[unit]);
}

SourcePlace source_place(const Site& site) {
  const bool is_known = !site.file.empty() && site.line > 0;
  return {site.file, site.line, function_of(site), is_known ? 0 : site.address};
}

std::string place_of(const SourcePlace& place) {
  if (!place.file.empty() && place.line > 0) {
    return fmt::format("{}:{}", last_name(place.file), place.line);
  }
  if (place.function.empty()) return fmt::format("{:#x} in the program", place.address);
  return place.line > 0 ? fmt::format("{} line {}", place.function, place.line) : place.function;
}

std::vector<SourcePlace> source_places(const Trace& trace, const std::vector<Index<Site>>& sites) {
  std::vector<SourcePlace> places;
  std::set<SourcePlace> known;
  for (const Index<Site> site : sites) {
    const SourcePlace place = source_place(trace.sites[site.value]);
    if (known.insert(place).second) places.push_back(place);
  }
  return places;
}

std::string place_of(const Site& site) { return place_of(source_place(site)); }

std::string function_of(const Site& site) { return without_signature(site.function); }

bool is_variable_name(const std::string& name) {
  return !name.empty() && name != "this" && std::ranges::all_of(name, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_';
  });
}

std::string base_of(const std::string& expression) {
  std::string base;
  int depth = 0;
  for (const char c : expression) {
    if (c == ']') --depth;
    if (depth == 0 && c != '[' && c != ']') base += c;
    if (c == '[') ++depth;
  }
  return without_fortran_section(base);
}

std::string nameless(std::uint64_t bytes, const std::string& place) {
  return fmt::format("{} that {} maps", size_text(bytes), place.empty() ? "a directive" : place);
}

std::string clause_list(const std::vector<std::string>& items) {
  return fmt::format("{}", fmt::join(items, ", "));
}

void add_once(std::vector<std::string>& items, const std::string& item) {
  if (!item.empty() && std::ranges::find(items, item) == items.end()) items.push_back(item);
}

}  // namespace ompdm::analysis
