// Rows are objects with an id. A figure of one rank is written as its number alone where the
// document is of one rank; bins only where there is anything in them.
#include <nlohmann/json.hpp>

#include "ompdm/summary.h"

namespace ompdm::summary {
namespace {

using InOrder = nlohmann::ordered_json;

InOrder sums_json(const Distribution& of) {
  InOrder json = {{"count", of.count},
                  {"sum", of.sum},
                  {"squares", {of.squares_high, of.squares_low}},
                  {"least", of.least},
                  {"most", of.most}};
  InOrder& bins = json["bins"] = InOrder::array();
  for (std::size_t bin = 0; bin < Distribution::kBins; ++bin) {
    if (of.bins[bin] != 0) bins.push_back({bin, of.bins[bin]});
  }
  return json;
}

InOrder figures_json(const std::map<std::string, Figure>& figures, bool one_rank) {
  InOrder json = InOrder::object();
  for (const auto& [name, figure] : figures) {
    if (one_rank) {
      json[name] = figure.ranks.sum;
    } else {
      json[name] = sums_json(figure.ranks);
      json[name]["least_rank"] = figure.least_rank;
      json[name]["most_rank"] = figure.most_rank;
    }
  }
  return json;
}

InOrder rows_json(const Rows& rows, bool one_rank) {
  InOrder json = InOrder::array();
  for (const auto& [id, row] : rows) {
    InOrder& one = json.emplace_back(InOrder{{"id", id}});
    for (const auto& [key, text] : row.what) one[key] = text;
    if (row.line != 0) one["line"] = row.line;
    if (!one_rank) one["ranks"] = row.ranks.text();
    if (!row.confidences.empty()) one["confidences"] = row.confidences;
    one["figures"] = figures_json(row.figures, one_rank);
    if (row.durations.count != 0) one["durations"] = sums_json(row.durations);
  }
  return json;
}

InOrder facts_json(const Summary& summary, bool one_rank) {
  InOrder json = InOrder::object();
  for (const auto& [fact, values] : summary.facts) {
    for (const auto& [value, ranks] : values) {
      if (one_rank && values.size() == 1) {
        json[fact] = value;
      } else {
        json[fact].push_back({{"value", value}, {"ranks", ranks.text()}});
      }
    }
  }
  return json;
}

InOrder processes_json(const Summary& summary) {
  InOrder json = InOrder::array();
  for (const RankProcess& one : summary.processes) {
    InOrder& row = json.emplace_back(InOrder{{"host", one.host}, {"pid", one.pid}});
    if (one.group != 0) row["group"] = one.group;
    if (!one.session.empty()) row["session"] = one.session;
    row["start_ns"] = one.start_ns;
    row["wall_ns"] = one.wall_ns;
  }
  return json;
}

InOrder unread_json(const Summary& summary) {
  InOrder json = InOrder::array();
  for (const auto& [why, ranks] : summary.unread) {
    json.push_back({{"why", why}, {"ranks", ranks.text()}});
  }
  return json;
}

}  // namespace

std::string to_json(const Summary& summary) {
  const bool one_rank = summary.ranks.size() == 1;
  InOrder json = {{"schema", kSchema},
                  {"ranks", summary.ranks.text()},
                  {"rank_count", summary.rank_count},
                  {"begin_ns", summary.begin_ns},
                  {"end_ns", summary.end_ns},
                  {"killed", summary.killed.text()},
                  {"truncated", summary.truncated.text()}};
  if (!summary.unread.empty()) json["unread"] = unread_json(summary);
  if (!summary.processes.empty()) json["processes"] = processes_json(summary);
  if (summary.source) {
    json["source"] = {{"bytes", summary.source->bytes},
                      {"modified_ns", summary.source->modified_ns}};
  }
  json["facts"] = facts_json(summary, one_rank);
  json["totals"] = figures_json(summary.totals, one_rank);
  json["losses"] = figures_json(summary.losses, one_rank);
  json["activities"] = rows_json(summary.activities, one_rank);
  json["directives"] = rows_json(summary.directives, one_rank);
  json["variables"] = rows_json(summary.variables, one_rank);
  json["loops"] = rows_json(summary.loops, one_rank);
  json["findings"] = rows_json(summary.findings, one_rank);
  return json.dump(-1, ' ', false, InOrder::error_handler_t::replace) + '\n';
}

}  // namespace ompdm::summary
