#include <string>

#include "ompdm/error.h"
#include "ompdm/report.h"
#include "report/json_rows.h"
#include "report/tables.h"
#include "report/text.h"

namespace ompdm::report {

namespace {

using analysis::Analysis;

Json prediction_json(const analysis::Prediction& one) {
  return {{"wall_ns", one.wall},
          {"transfer_ns", one.transfer},
          {"spared_transfers", one.spared_transfers},
          {"spared_bytes", one.spared_bytes},
          {"at_most", one.at_most}};
}

/// A prediction for several processes is that of the slowest.
Json prediction_json(Analyses analyses) {
  Json slowest = nullptr;
  for (const Analysis& one : analyses) {
    if (!one.prediction) continue;
    if (!slowest.is_null() && slowest["wall_ns"].get<Nanoseconds>() >= one.prediction->wall)
      continue;
    slowest = prediction_json(*one.prediction);
    const auto& possible = one.possible_prediction;
    slowest["possible"] = possible ? prediction_json(*possible) : Json(nullptr);
  }
  return slowest;
}

const char* word_of(analysis::Verdict verdict) {
  switch (verdict) {
    case analysis::Verdict::kDominates:
      return "dominates";
    case analysis::Verdict::kMatters:
      return "matters";
    case analysis::Verdict::kNoProblem:
      return "no_problem";
    case analysis::Verdict::kUnjudged:
      break;
  }
  return "not_judged";
}

Json withheld_json(Analyses analyses) {
  analysis::Withheld sum;
  for (const Analysis& one : analyses) {
    sum.findings += one.withheld.findings;
    sum.transfers += one.withheld.transfers;
    sum.bytes += one.withheld.bytes;
    sum.allocations += one.withheld.allocations;
    sum.small_transfers += one.withheld.small_transfers;
  }
  return {{"findings", sum.findings},
          {"transfers", sum.transfers},
          {"bytes", sum.bytes},
          {"allocations", sum.allocations},
          {"small_transfers", sum.small_transfers}};
}

}  // namespace

Json report_json(Analyses analyses) {
  const SourceNames names(analyses);
  Json json = {{"schema", kReportSchema}};
  json["verdict"] = word_of(analysis::verdict_of(analyses));
  if (const auto& link = analyses.front().link) json["link"] = link_json(*link);
  for (const char* table : {"traces", "devices"}) json[table] = Json::array();
  json["totals"] = totals_json(totals_of(analyses));
  for (const char* table :
       {"activities", "api_calls", "device_use", "host_waits", "start_latencies", "directives",
        "variables", "iterations", "findings", "doubted"}) {
    json[table] = Json::array();
  }
  const Ranks ranks = ranks_of(analyses);
  const std::vector<std::size_t> offsets = directive_offsets(analyses);
  for (std::size_t i = 0; i < analyses.size(); ++i) {
    const auto add = [&](const char* table, Json row) {
      if (!ranks.key.empty()) row[ranks.key] = ranks.labels[i];
      json[table].push_back(std::move(row));
    };
    const Analysis& one = analyses[i];
    json["traces"].push_back(trace_json(one, offsets[i]));
    if (one.run > 0) json["traces"].back()["run"] = one.run;
    for (const auto& row : one.devices) add("devices", device_json(row));
    for (const auto& row : one.activities) add("activities", activity_json(row, one, names));
    for (const auto& row : one.api_calls) add("api_calls", activity_json(row, one, names));
    for (const auto& row : one.device_use) add("device_use", device_use_json(row, one));
    for (const auto& row : one.host_waits) add("host_waits", host_wait_json(row, one, offsets[i]));
    for (const auto& row : one.start_latencies) {
      add("start_latencies", start_latency_json(row));
    }
    for (const auto& row : one.directives) add("directives", directive_json(row));
    for (const auto& row : one.variables) add("variables", variable_json(row));
    const std::size_t loops_before = json["iterations"].size();
    for (const auto& row : one.iterations) {
      add("iterations", iteration_json(row, one, offsets[i], loops_before));
    }
    for (const auto& row : one.findings) add("findings", finding_json(row, one));
    for (const auto& row : one.doubts) add("doubted", doubt_json(row));
  }
  json["withheld"] = withheld_json(analyses);
  json["prediction"] = prediction_json(analyses);
  return json;
}

std::string render(std::span<const analysis::Analysis> analyses, Format format,
                   const Layout& layout) {
  if (analyses.empty()) throw Error("no trace to report on", Error::Kind::kUsage);
  const SourceNames names(analyses);
  switch (format) {
    case Format::kJson:
      return report_json(analyses).dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
    case Format::kCsv:
      return csv_report(analyses, names, layout.section);
    case Format::kMarkdown:
      return markdown_report(analyses, names, layout);
    case Format::kText:
      break;
  }
  Layout usable = layout;
  usable.width = layout.width < 60 ? 60 : layout.width;
  return text_report(analyses, names, usable);
}

}  // namespace ompdm::report
