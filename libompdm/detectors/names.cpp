#include "detectors/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "analysis/function_names.h"

namespace ompdm::analysis {
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

/// "786 KB": of three digits.
std::string size_text(std::uint64_t bytes) {
  constexpr const char* kUnits[] = {"B", "KB", "MB", "GB", "TB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  // What would be told as 1000 of a unit is 1 of the next.
  for (; value >= 999.5 && unit + 1 < std::size(kUnits); ++unit) value /= 1000;
  if (unit == 0) return fmt::format("{} B", bytes);
  return fmt::format("{:.{}f} {}", value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0, kUnits[unit]);
}

}  // namespace

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

std::string expression_of(const Trace& trace, const Mapping& mapping) {
  if (mapping.host == 0) return "memory of omp_target_alloc";
  if (mapping.item != nullptr) return mapping.item->name;
  if (mapping.variable) {
    const Variable& variable = trace.variables[mapping.variable.value];
    if (!variable.expression.empty()) return variable.expression;
    if (!variable.name.empty()) return variable.name;
  }
  return fmt::format("{} at {:#x}", size_text(mapping.bytes), mapping.host);
}

std::string expression_at(const Trace& trace, const Mappings& mappings, std::uint32_t op) {
  const DataOp& transfer = trace.ops[op];
  const std::uint64_t host = transfer.kind == OpKind::kDtoH ? transfer.dst : transfer.src;
  const MapItem* item = mappings.items().named(transfer.region, host, transfer.bytes);
  return item != nullptr ? item->name : expression_of(trace, mappings.rows()[mappings.of(op)]);
}

bool has_name(const Trace& trace, const Mapping& mapping) {
  if (mapping.host == 0) return false;
  if (mapping.item != nullptr) return true;
  return mapping.variable && !trace.variables[mapping.variable.value].name.empty();
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

std::string name_of(const Trace& trace, const Mapping& mapping) {
  if (has_name(trace, mapping)) return base_of(expression_of(trace, mapping));
  if (mapping.host == 0) return {};
  const Index<Site> site = trace.ops.common(mapping.alloc.value).site;
  return nameless(mapping.bytes, site ? place_of(trace.sites[site.value]) : std::string());
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
