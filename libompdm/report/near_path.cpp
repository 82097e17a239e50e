#include "report/near_path.h"

#include <nlohmann/json.hpp>
#include <vector>

#include "ompdm/nearest.h"
#include "report/row_called.h"

namespace ompdm::report {
namespace {

using ReportJson = nlohmann::json;

constexpr std::size_t kMost = 50'000;  // paths that are looked at: enough for what a person types

/// Paths to the numbers below `value`, each behind `prefix`.
void add_paths(const ReportJson& value, const std::string& prefix,
               std::vector<std::string>& paths) {
  if (paths.size() >= kMost) return;
  const auto below = [&](const std::string& name) {
    return prefix.empty() ? name : prefix + '.' + name;
  };
  if (value.is_number() || value.is_boolean() || value.is_array()) paths.push_back(prefix);
  if (value.is_object()) {
    for (const auto& [name, field] : value.items()) add_paths(field, below(name), paths);
  }
  if (!value.is_array()) return;
  for (const ReportJson& row : value) {
    for (const std::string& name : names_of_row(row)) {
      paths.push_back(below(name));  // counts
      add_paths(row, below(name), paths);
    }
  }
}

}  // namespace

std::string near_path(std::string_view path, const ReportJson& report) {
  std::vector<std::string> paths;
  if (const auto totals = report.find("totals"); totals != report.end()) {
    add_paths(*totals, {}, paths);
  }
  add_paths(report, {}, paths);
  return nearest(path, paths);
}

}  // namespace ompdm::report
