#include "analysis/findings/references.h"

#include <algorithm>
#include <string>
#include <vector>

#include "analysis/findings/names.h"

namespace ompdm::analysis {
namespace {

/// Rows whose place this is.
void add_rows_at(const Evidence& evidence, const SourcePlace& place, std::set<std::size_t>& rows) {
  if (place.file.empty() || place.line == 0) return;
  for (std::size_t row = 0; row < evidence.directives.rows.size(); ++row) {
    const DirectiveRow& directive = evidence.directives.rows[row];
    if (directive.line == place.line && directive.file == place.file) rows.insert(row);
  }
}

/// Which of these variables an item that was named by its clause alone stands for.
std::vector<std::size_t> named(const Trace& trace, const std::set<std::size_t>& variables,
                               const std::string& name) {
  std::vector<std::size_t> same;
  for (const std::size_t number : variables) {
    const Variable& variable = trace.variables[number];
    const auto& aliases = variable.aliases;
    if (variable.name == name || std::ranges::find(aliases, name) != aliases.end()) {
      same.push_back(number);
    }
  }
  return same;
}

}  // namespace

std::set<std::size_t> loops_of(const Evidence& evidence, const Claim& claim) {
  std::set<std::size_t> loops;
  const auto add = [&](std::uint32_t thread, Nanoseconds begin, Nanoseconds end) {
    const std::uint32_t entry = evidence.enclosing.innermost(thread, begin, end);
    if (entry == EnclosingEntry::kNoEntry) return false;
    loops.insert(evidence.enclosing.entries()[entry].loop);
    return true;
  };
  if (claim.ops.empty()) return loops;
  const auto asker = [&](std::uint32_t op) { return asker_of(evidence.trace, op); };
  const std::uint32_t thread = asker(claim.ops.front()).thread;
  const bool is_within =
      !claim.stays.empty() && std::ranges::all_of(claim.stays, [&](const Stay& stay) {
        return add(thread, stay.from, stay.to);
      });
  if (is_within) return loops;
  // Operations of one region are in the same loops.
  Index<Region> latest;
  for (const std::uint32_t op : claim.ops) {
    const Index<Region> region = evidence.trace.ops.region_of(op);
    if (region && region == latest) continue;
    latest = region;
    add(asker(op).thread, asker(op).time, evidence.trace.ops.end_of(op));
  }
  return loops;
}

void refer(const Evidence& evidence, Claim& claim) {
  const Runs<DataOp>& ops = evidence.trace.ops;
  Finding& finding = claim.finding;
  std::set<std::size_t> directives;
  std::set<std::size_t> variables;
  for (const std::uint32_t op : claim.ops) {
    const DataOp& common = ops.common(op);
    const std::uint32_t row = row_of(evidence.directives, common.site);
    if (row != kNoDirective) directives.insert(row);
    if (common.variable) variables.insert(common.variable.value);
  }
  add_rows_at(evidence, {finding.file, finding.line, {}, 0}, directives);
  for (EditData& data : finding.data) {
    if (data.variables.empty() && !data.expression.empty()) {
      data.variables = named(evidence.trace, variables, base_of(data.expression));
    }
    variables.insert(data.variables.begin(), data.variables.end());
  }
  const std::set<std::size_t> loops = loops_of(evidence, claim);
  finding.directives.assign(directives.begin(), directives.end());
  finding.variables.assign(variables.begin(), variables.end());
  finding.loops.assign(loops.begin(), loops.end());
}

}  // namespace ompdm::analysis
