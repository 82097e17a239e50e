#include "report/comparison_json.h"

#include <string_view>
#include <utility>

#include "ompdm/report.h"
#include "report/comparison_sentences.h"
#include "report/json_rows.h"

namespace ompdm::report {
namespace {

using analysis::RowPair;

/// Null where there is no such number on a side, or where BEFORE's is 0.
Json ratio_json(const Json& before, const Json& after) {
  if (!before.is_number() || !after.is_number() || before.get<double>() == 0) return nullptr;
  return after.get<double>() / before.get<double>();
}

Json figures(const Json& before, const Json& after, bool has_ratio) {
  return {{"before", before},
          {"after", after},
          {"ratio", has_ratio ? ratio_json(before, after) : Json(nullptr)}};
}

/// Whether a number says how much, and not where or which.
bool is_amount(std::string_view key) {
  return key == "bytes" || key == "count" || key.ends_with("_bytes") || key.ends_with("_count") ||
         key.ends_with("_ns");
}

Json pair_json(Json before, Json after, bool has_ratios = true) {
  Json ratios = nullptr;
  if (has_ratios && before.is_object() && after.is_object()) {
    ratios = Json::object();
    for (const auto& [key, value] : before.items()) {
      if (is_amount(key)) ratios[key] = ratio_json(value, after[key]);
    }
  }
  return {{"before", std::move(before)}, {"after", std::move(after)}, {"ratio", std::move(ratios)}};
}

/// A row a pair, each side as in `ompdm.report/1`.
template <class Row, class ToJson>
Json pairs_json(const Sides& sides, const std::vector<RowPair>& pairs,
                std::vector<Row> analysis::Analysis::* table, ToJson to_json) {
  const std::vector<Row>& before = sides.before.*table;
  const std::vector<Row>& after = sides.after.*table;
  Json rows = Json::array();
  for (const RowPair& pair : pairs) {
    const Row* left = row_at(before, pair.before);
    const Row* right = row_at(after, pair.after);
    rows.push_back(pair_json(left != nullptr ? to_json(*left, sides.before) : Json(nullptr),
                             right != nullptr ? to_json(*right, sides.after) : Json(nullptr),
                             sides.are_whole()));
  }
  return rows;
}

Json compared_totals_json(const Sides& sides) {
  const Json before = totals_json(sides.before.totals);
  const Json after = totals_json(sides.after.totals);
  Json totals = Json::object();
  for (const auto& [name, flow] : before.items()) {
    for (const auto& [key, value] : flow.items()) {
      totals[name][key] = figures(value, after[name][key], sides.are_whole());
    }
  }
  return totals;
}

/// Where each side's directives are in the document's table of pairs.
std::vector<std::size_t> positions(const std::vector<RowPair>& pairs, std::size_t RowPair::* side) {
  std::vector<std::size_t> positions(pairs.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (pairs[i].*side != analysis::kNoRow) positions[pairs[i].*side] = i;
  }
  return positions;
}

Json loops_json(const Sides& sides) {
  const auto loop = [](const analysis::Iteration& row, const analysis::Analysis& of,
                       const std::vector<std::size_t>& at) {
    Json json = iteration_json(row, of, 0, 0);
    for (Json& directive : json["directives"]) directive = at[directive.get<std::size_t>()];
    return json;
  };
  const auto before_at = positions(sides.pairs.directives, &RowPair::before);
  const auto after_at = positions(sides.pairs.directives, &RowPair::after);
  Json rows = Json::array();
  for (const RowPair& pair : sides.pairs.iterations) {
    const auto* before = row_at(sides.before.iterations, pair.before);
    const auto* after = row_at(sides.after.iterations, pair.after);
    rows.push_back(
        pair_json(before != nullptr ? loop(*before, sides.before, before_at) : Json(nullptr),
                  after != nullptr ? loop(*after, sides.after, after_at) : Json(nullptr)));
  }
  return rows;
}

Json findings_json(const Sides& sides) {
  Json findings = {{"went", Json::array()}, {"stay", Json::array()}, {"came", Json::array()}};
  for (const RowPair& pair : sides.pairs.findings) {
    const auto* before = row_at(sides.before.findings, pair.before);
    const auto* after = row_at(sides.after.findings, pair.after);
    if (after == nullptr) {
      findings["went"].push_back(finding_json(*before, sides.before));
    } else if (before == nullptr) {
      findings["came"].push_back(finding_json(*after, sides.after));
    } else {
      findings["stay"].push_back(
          pair_json(finding_json(*before, sides.before), finding_json(*after, sides.after)));
    }
  }
  return findings;
}

Json prediction_json(const Sides& sides) {
  // Without waste there is nothing to hold AFTER against.
  if (!sides.told_whole() || !sides.before.prediction ||
      sides.before.prediction->wall == sides.before.program_wall)
    return nullptr;
  const auto compared = [](const Json& predicted, const Json& achieved) {
    return Json{{"predicted", predicted},
                {"achieved", achieved},
                {"ratio", ratio_json(predicted, achieved)}};
  };
  const analysis::Totals& totals = sides.after.totals;
  const Json transfer = sides.after.headline.measured
                            ? Json(totals.htod.time + totals.dtoh.time + totals.dtod.time)
                            : Json(nullptr);
  return {{"wall_ns", compared(sides.before.prediction->wall, sides.after.program_wall)},
          {"transfer_ns", compared(sides.before.prediction->transfer, transfer)}};
}

}  // namespace

std::string comparison_json(const Sides& sides) {
  Json json = {{"schema", kCompareSchema}, {"headline", comparison_headline(sides)}};
  if (sides.after.link) json["link"] = link_json(*sides.after.link);
  json["trace"] = pair_json(compared_trace_json(sides.before), compared_trace_json(sides.after),
                            sides.are_whole());
  json["totals"] = compared_totals_json(sides);
  using analysis::Analysis;
  json["activities"] = pairs_json(sides, sides.pairs.activities, &Analysis::activities,
                                  [&](const analysis::Activity& row, const Analysis& of) {
                                    return activity_json(row, of, sides.names);
                                  });
  json["directives"] = pairs_json(
      sides, sides.pairs.directives, &Analysis::directives,
      [](const analysis::DirectiveRow& row, const Analysis&) { return directive_json(row); });
  json["variables"] = pairs_json(
      sides, sides.pairs.variables, &Analysis::variables,
      [](const analysis::VariableRow& row, const Analysis&) { return variable_json(row); });
  json["iterations"] = sides.told_whole() ? loops_json(sides) : Json(nullptr);
  json["findings"] = sides.told_whole() ? findings_json(sides) : Json(nullptr);
  json["prediction"] = prediction_json(sides);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace ompdm::report
