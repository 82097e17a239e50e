#include <algorithm>
#include <string>
#include <utility>

#include "analysis/row_pairing.h"
#include "ompdm/comparison.h"
#include "ompdm/told_part.h"

namespace ompdm::analysis {
namespace {

RowLabel label(const DirectiveRow& row) {
  const std::string sort = std::string(directive_name(row.directive)) + ' ' + row.api;
  return {sort, row.function, row.file, row.line, row.column, row.address, false};
}

RowLabel label(const Activity& row) {
  const auto clock = static_cast<std::uint64_t>(row.clock);
  return {
      std::string(activity_type_name(row.type)), row.function, row.file, row.line, 0, clock, false};
}

RowLabel label(const VariableRow& row) {
  return {"", row.name, row.file, row.line, 0, row.address, row.name.empty() && row.file.empty()};
}

RowLabel label(const Finding& row) {
  return {row.pattern, row.variable, row.file, row.line, 0, 0, false};
}

template <class Row>
std::vector<RowLabel> labels(const std::vector<Row>& rows) {
  std::vector<RowLabel> labels;
  labels.reserve(rows.size());
  for (const Row& row : rows) labels.push_back(label(row));
  return labels;
}

/// How alike two loops are: first by the directives that both have, then by those that one lacks.
using Likeness = std::pair<std::size_t, std::ptrdiff_t>;

Likeness likeness(const Iteration& before, const Iteration& after,
                  const std::vector<std::size_t>& after_of_before) {
  const auto shared =
      static_cast<std::size_t>(std::ranges::count_if(before.directives, [&](std::size_t directive) {
        return std::ranges::find(after.directives, after_of_before[directive]) !=
               after.directives.end();
      }));
  const std::size_t in_one = before.directives.size() + after.directives.size() - 2 * shared;
  return {shared, -static_cast<std::ptrdiff_t>(in_one)};
}

std::vector<RowPair> pair_loops(const Analysis& before, const Analysis& after,
                                const std::vector<RowPair>& directives) {
  std::vector<std::size_t> after_of_before(before.directives.size(), kNoRow);
  for (const RowPair& pair : directives) {
    if (pair.before != kNoRow) after_of_before[pair.before] = pair.after;
  }
  std::vector<RowPair> pairs;
  std::vector<bool> taken(after.iterations.size());
  for (std::size_t i = 0; i < before.iterations.size(); ++i) {
    RowPair pair{i, kNoRow};
    Likeness best{0, 0};
    for (std::size_t j = 0; j < after.iterations.size(); ++j) {
      const Likeness like = likeness(before.iterations[i], after.iterations[j], after_of_before);
      const bool is_better = pair.after == kNoRow ? like.first > 0 : like > best;
      if (taken[j] || !is_better) continue;
      pair.after = j;
      best = like;
    }
    if (pair.after != kNoRow) taken[pair.after] = true;
    pairs.push_back(pair);
  }
  for (std::size_t j = 0; j < after.iterations.size(); ++j) {
    if (!taken[j]) pairs.push_back({kNoRow, j});
  }
  return pairs;
}

}  // namespace

Comparison compare(const Analysis& before, const Analysis& after) {
  Comparison comparison;
  comparison.activities =
      pair_rows(labels(before.activities), labels(after.activities), Renamed::kYes);
  comparison.directives =
      pair_rows(labels(before.directives), labels(after.directives), Renamed::kYes);
  comparison.variables = pair_rows(labels(before.variables), labels(after.variables), Renamed::kNo);
  // What was not looked for throughout has neither gone nor come.
  if (!is_told_whole(before) || !is_told_whole(after)) return comparison;
  comparison.iterations = pair_loops(before, after, comparison.directives);
  comparison.findings = pair_rows(labels(before.findings), labels(after.findings), Renamed::kNo);
  return comparison;
}

}  // namespace ompdm::analysis
