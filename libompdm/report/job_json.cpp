#include "report/job_json.h"

#include "ompdm/job.h"
#include "report/job_figures.h"
#include "report/job_tables.h"
#include "report/json_rows.h"

namespace ompdm::report {
namespace {

Json by_rank_json(const std::map<std::string, summary::Figure>& figures) {
  Json json = Json::object();
  for (const auto& [name, figure] : figures) {
    json[name] = {{"ranks", figure.ranks.count},      {"least", figure.ranks.least},
                  {"least_rank", figure.least_rank},  {"median", figure.ranks.median()},
                  {"mean", figure.ranks.mean()},      {"stddev", figure.ranks.deviation()},
                  {"most", figure.ranks.most},        {"most_rank", figure.most_rank},
                  {"imbalance", imbalance_of(figure)}};
  }
  return json;
}

/// As in ompdm.report/1, so that conditions mean the same in both.
Json job_totals_json(const summary::Summary& job) {
  Json json = Json::object();
  const auto put = [&](const std::string& of, const char* key, const std::string& figure) {
    const auto found = job.totals.find(of + figure);
    if (found != job.totals.end()) json[of][key] = found->second.ranks.sum;
  };
  for (const char* of : {"HtoD", "DtoH", "DtoD", "memset", "alloc", "delete", "kernel", "region",
                         "runtime_internal"}) {
    put(of, "bytes", "_bytes");
    put(of, "count", "_count");
    put(of, "time_ns", "_ns");
  }
  return json;
}

Json rows_json(const summary::Rows& rows, const char* look_at) {
  Json json = Json::array();
  for (const auto* entry : heaviest_first(rows)) {
    const summary::Row& row = entry->second;
    Json& one = json.emplace_back(Json{{"id", entry->first}});
    for (const auto& [key, text] : row.what) one[key] = text;
    one["line"] = row.line;
    one["ranks"] = row.ranks.size();
    one["which"] = row.ranks.text();
    for (const auto& [name, figure] : row.figures) one[name] = figure.ranks.sum;
    one["by_rank"] = by_rank_json(row.figures);
    if (!row.confidences.empty()) one["confidences"] = row.confidences;
    if (look_at != nullptr) {
      const summary::Figure& time = figure_of(row, "wasted_ns");
      one["look_at_rank"] =
          time.ranks.count > 0 ? time.most_rank : figure_of(row, look_at).most_rank;
    }
    if (row.durations.count > 0) {
      one["durations"] = {
          {"count", row.durations.count},     {"avg_ns", row.durations.mean()},
          {"med_ns", row.durations.median()}, {"min_ns", row.durations.least},
          {"max_ns", row.durations.most},     {"stddev_ns", row.durations.deviation()}};
    }
  }
  return json;
}

Json facts_json(const summary::Summary& job) {
  Json json = Json::object();
  for (const auto& [fact, values] : job.facts) {
    for (const auto& [value, ranks] : values) {
      json[fact].push_back({{"value", value}, {"ranks", ranks.text()}});
    }
  }
  return json;
}

Json unread_json(const summary::Summary& job) {
  Json json = Json::array();
  for (const auto& [why, ranks] : job.unread) {
    json.push_back({{"ranks", ranks.text()}, {"why", why}});
  }
  return json;
}

Json outliers_json(const summary::Summary& job) {
  Json json = Json::array();
  for (const Outlier& one : outliers_of(job)) {
    json.push_back({{"rank", one.rank},
                    {"quantity", one.figure},
                    {"value", one.value},
                    {"median", one.median},
                    {"above", one.above},
                    {"alike", one.alike}});
  }
  return json;
}

}  // namespace

std::string job_json(const summary::Summary& job) {
  Json losses = Json::array();
  for (const auto& [name, figure] : job.losses) {
    losses.push_back(
        {{"name", name}, {"count", figure.ranks.sum}, {"most_rank", figure.most_rank}});
  }
  const Json json = {{"schema", kJobSchema},
                     {"ranks",
                      {{"count", job.ranks.size()},
                       {"of", job.rank_count},
                       {"which", job.ranks.text()},
                       {"missing", missing_ranks(job).text()},
                       {"unread", unread_json(job)},
                       {"killed", job.killed.text()},
                       {"truncated", job.truncated.text()},
                       {"counted", told_ranks(job).counted.text()},
                       {"told_in_part", told_ranks(job).in_part.text()},
                       {"parts", told_ranks(job).parts.text()}}},
                     {"wall_ns", job.end_ns - job.begin_ns},
                     {"facts", facts_json(job)},
                     {"totals", job_totals_json(job)},
                     {"by_rank", by_rank_json(job.totals)},
                     {"outliers", outliers_json(job)},
                     {"activities", rows_json(job.activities, nullptr)},
                     {"directives", rows_json(job.directives, nullptr)},
                     {"variables", rows_json(job.variables, nullptr)},
                     {"iterations", rows_json(job.loops, nullptr)},
                     {"findings", rows_json(job.findings, "wasted_bytes")},
                     {"losses", losses}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace ompdm::report
