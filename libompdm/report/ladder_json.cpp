#include <algorithm>
#include <utility>

#include "ompdm/report.h"
#include "report/comparison_sentences.h"
#include "report/json_rows.h"
#include "report/ladder.h"

namespace ompdm::report {
namespace {

using analysis::Analysis;
using analysis::RowChain;

Json factor_json(const std::optional<double>& factor) {
  return factor ? Json(*factor) : Json(nullptr);
}

Json rung_json(const Rungs& rungs, std::size_t i) {
  const Analysis& one = rungs.recordings[i];
  return {{"name", rungs.labels[i]},
          {"trace", compared_trace_json(one)},
          {"totals", totals_json(one.totals)},
          {"needless_bytes", is_told_whole(one) ? Json(needless_bytes(one)) : Json(nullptr)},
          {"step", factor_json(rungs.faster(i, i - 1))},
          {"speedup", factor_json(rungs.faster(i, 0))}};
}

/// An array a chain, with each rung's row as in `ompdm.report/1`, or null.
template <class Row, class ToJson>
Json chains_json(const Rungs& rungs, const std::vector<RowChain>& chains,
                 std::vector<Row> Analysis::* table, ToJson to_json) {
  Json all = Json::array();
  for (const RowChain& chain : chains) {
    Json rows = Json::array();
    for (std::size_t i = 0; i < chain.size(); ++i) {
      const Analysis& one = rungs.recordings[i];
      rows.push_back(chain[i] == analysis::kNoRow ? Json(nullptr)
                                                  : to_json((one.*table)[chain[i]], i));
    }
    all.push_back(std::move(rows));
  }
  return all;
}

/// Where a rung's directives are in the document's table.
std::vector<std::size_t> positions(const Rungs& rungs, std::size_t recording) {
  std::vector<std::size_t> positions(rungs.recordings[recording].directives.size());
  for (std::size_t i = 0; i < rungs.chains.directives.size(); ++i) {
    const std::size_t row = rungs.chains.directives[i][recording];
    if (row != analysis::kNoRow) positions[row] = i;
  }
  return positions;
}

}  // namespace

std::string ladder_json(const Rungs& rungs) {
  Json json = {{"schema", kLadderSchema}, {"headline", comparison_headline(rungs.ends)}};
  const auto& link = rungs.recordings.front().link;
  if (link) json["link"] = link_json(*link);
  for (std::size_t i = 0; i < rungs.recordings.size(); ++i) {
    json["rungs"].push_back(rung_json(rungs, i));
  }
  json["directives"] = chains_json(
      rungs, rungs.chains.directives, &Analysis::directives,
      [](const analysis::DirectiveRow& row, std::size_t) { return directive_json(row); });
  json["variables"] =
      chains_json(rungs, rungs.chains.variables, &Analysis::variables,
                  [](const analysis::VariableRow& row, std::size_t) { return variable_json(row); });
  json["iterations"] =
      chains_json(rungs, rungs.chains.iterations, &Analysis::iterations,
                  [&](const analysis::Iteration& row, std::size_t recording) {
                    Json loop = iteration_json(row, rungs.recordings[recording], 0, 0);
                    const std::vector<std::size_t> at = positions(rungs, recording);
                    for (Json& directive : loop["directives"])
                      directive = at[directive.get<std::size_t>()];
                    return loop;
                  });
  json["findings"] = chains_json(rungs, rungs.chains.findings, &Analysis::findings,
                                 [&](const analysis::Finding& row, std::size_t recording) {
                                   return finding_json(row, rungs.recordings[recording]);
                                 });
  if (!rungs.told_whole()) json["iterations"] = json["findings"] = nullptr;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace ompdm::report
