#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "ompdm/detector.h"
#include "ompdm/error.h"
#include "ompdm/row_id.h"

namespace ompdm::analysis {
namespace {

bool is_name(const std::string& pattern) {
  return !pattern.empty() &&
         pattern.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string::npos;
}

void require_rows(const Finding& finding, const std::vector<std::size_t>& rows, std::size_t size,
                  const char* table) {
  const auto beyond = std::ranges::find_if(rows, [&](std::size_t row) { return row >= size; });
  if (beyond == rows.end()) return;
  throw Error(finding.pattern + ": row " + std::to_string(*beyond) + " of " + table +
              " does not exist: take positions in the same analysis");
}

/// Those that have all else in common are told apart by their order.
std::string id_of(const Analysis& analysis, const Finding& finding) {
  const std::string what = "foreign finding\n" + finding.pattern + '\n' +
                           std::filesystem::path(finding.file).filename().string() + '\n' +
                           finding.variable;
  const auto is_taken = [&](const std::string& id) {
    return std::ranges::find(analysis.findings, id, &Finding::id) != analysis.findings.end();
  };
  std::string id = row_id(what);
  for (int i = 2; is_taken(id); ++i) id = row_id(what + '\n' + std::to_string(i));
  return id;
}

}  // namespace

void add_finding(Analysis& analysis, Finding finding) {
  if (!is_name(finding.pattern)) {
    throw Error("'" + finding.pattern +
                "': no name of a pattern: use lower-case letters, digits and _");
  }
  require_rows(finding, finding.directives, analysis.directives.size(), "directives");
  require_rows(finding, finding.variables, analysis.variables.size(), "variables");
  require_rows(finding, finding.loops, analysis.iterations.size(), "iterations");
  if (finding.id.empty()) finding.id = id_of(analysis, finding);
  const auto place = std::ranges::find_if(analysis.findings, [&](const Finding& other) {
    return other.wasted_time < finding.wasted_time;
  });
  analysis.findings.insert(place, std::move(finding));
}

}  // namespace ompdm::analysis
