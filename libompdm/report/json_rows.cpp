#include "report/json_rows.h"

#include <fmt/format.h>

#include <utility>

#include "ompdm/report.h"
#include "ompdm/row_id.h"
#include "ompdm/told_part.h"
#include "report/edits_json.h"
#include "report/row_refs.h"
#include "report/runs.h"
#include "trace/trace_schema.h"

namespace ompdm::report {
namespace {

using analysis::Analysis;
using analysis::Flow;

Json known_time(bool known, Nanoseconds duration) { return known ? Json(duration) : Json(nullptr); }

Json flow(const Flow& flow) {
  return {{"bytes", flow.bytes}, {"count", flow.count}, {"time_ns", flow.time}};
}

Json flow_without_bytes(const Flow& flow) {
  return {{"count", flow.count}, {"time_ns", flow.time}};
}

Json pass_json(const analysis::PassCost& cost, const std::optional<std::uint64_t>& invariant,
               bool timed) {
  return {{"HtoD_bytes", cost.htod_bytes},
          {"DtoH_bytes", cost.dtoh_bytes},
          {"allocations", cost.allocations},
          {"invariant_bytes", invariant ? Json(*invariant) : Json(nullptr)},
          {"transfer_ns", known_time(timed, cost.transfer)},
          {"kernel_ns", known_time(timed, cost.kernel)},
          {"wall_ns", cost.wall}};
}

Json figures_json(const analysis::DirectiveFigures& sum) {
  return {{"count", sum.count},
          {"HtoD_bytes", sum.htod.bytes},
          {"HtoD_count", sum.htod.count},
          {"DtoH_bytes", sum.dtoh.bytes},
          {"DtoH_count", sum.dtoh.count},
          {"DtoD_bytes", sum.dtod.bytes},
          {"DtoD_count", sum.dtod.count},
          {"mapped_bytes", sum.mapped_bytes},
          {"alloc_count", sum.alloc_count},
          {"kernel_count", sum.kernel_count},
          {"fallback_count", sum.fallback_count},
          {"time_ns", sum.time},
          {"transfer_ns", known_time(sum.timed, sum.htod.time + sum.dtoh.time + sum.dtod.time)},
          {"kernel_ns", known_time(sum.timed, sum.kernel_time)}};
}

}  // namespace

Json totals_json(const analysis::Totals& totals) {
  return {{"HtoD", flow(totals.htod)},
          {"DtoH", flow(totals.dtoh)},
          {"DtoD", flow(totals.dtod)},
          {"memset", flow(totals.memset)},
          {"alloc", flow(totals.alloc)},
          {"delete", flow(totals.remove)},
          {"kernel", flow_without_bytes(totals.kernel)},
          {"region", flow_without_bytes(totals.region)},
          {"runtime_internal", flow(totals.runtime_internal)}};
}

Json trace_json(const Analysis& one, std::size_t offset) {
  Json losses = Json::array();
  for (const Loss& loss : one.losses)
    losses.push_back({{"name", loss.name}, {"count", loss.count}});
  Json unfinished = Json::array();
  for (const auto& region : one.unfinished) {
    const bool known = region.directive != analysis::kNoRow;
    unfinished.push_back({{"directive", known ? Json(offset + region.directive) : Json(nullptr)},
                          {"directive_id", directive_id(one, region.directive)},
                          {"elapsed_ns", region.elapsed}});
  }
  const Process& process = one.process;
  return {{"id", analysis::row_id(fmt::format("trace\n{}\n{}\n{}", process.host, process.pid,
                                              process.start_realtime_ns))},
          {"file", one.file},
          {"program", one.process.program},
          {"arguments", one.process.arguments},
          {"pid", one.process.pid},
          {"host", one.process.host},
          {"rank", one.process.rank >= 0 ? Json(one.process.rank) : Json(nullptr)},
          {"wall_ns", one.process.wall},
          {"hashing_ns", one.process.wall - one.program_wall},
          {"detail", one.recording.detail.empty() ? "events" : one.recording.detail},
          {"told_from_ns", one.recording.told_from},
          {"told_to_ns", one.recording.told_to != 0 ? one.recording.told_to : one.process.wall},
          {"runtime", one.recording.runtime},
          {"reach", one.recording.reach},
          {"cupti", one.recording.cupti},
          {"finished", one.recording.finished},
          {"truncated", one.truncated},
          {"transfer_union_ns", known_time(one.headline.measured, one.headline.transfer)},
          {"movement_union_ns", known_time(one.headline.measured, one.headline.movement)},
          {"kernel_union_ns", known_time(one.headline.measured, one.headline.kernel)},
          {"device_union_ns", known_time(one.headline.measured, one.headline.device)},
          {"unfinished", std::move(unfinished)},
          {"losses", std::move(losses)}};
}

Json compared_trace_json(const Analysis& one) {
  Json json = trace_json(one, 0);
  if (is_told_whole(one)) return json;
  for (const char* length :
       {"transfer_union_ns", "movement_union_ns", "kernel_union_ns", "device_union_ns"}) {
    json[length] = nullptr;
  }
  return json;
}

/// The target region that a kernel is of.
Json region_id(const analysis::Activity& row, const Analysis& of) {
  for (const analysis::DirectiveRow& directive : of.directives) {
    const bool is_it = directive.directive == Directive::kTarget && row.line > 0 &&
                       directive.line == row.line && directive.file == row.file;
    if (is_it) return directive.id;
  }
  return nullptr;
}

Json activity_json(const analysis::Activity& row, const Analysis& of, const SourceNames& names) {
  Json json = {{"id", row.id},
               {"type", analysis::activity_type_name(row.type)},
               {"name", names.activity(row)},
               {"count", row.count},
               {"bytes", row.bytes},
               {"total_ns", row.total},
               {"avg_ns", row.average},
               {"med_ns", row.median},
               {"min_ns", row.minimum},
               {"max_ns", row.maximum},
               {"stddev_ns", row.deviation},
               {"percent", row.percent ? Json(*row.percent) : Json(nullptr)},
               {"clock", trace_schema::name_of(trace_schema::kClocks, row.clock)}};
  if (row.type == analysis::ActivityType::kKernel) json["directive_id"] = region_id(row, of);
  return json;
}

Json directive_json(const analysis::DirectiveRow& row) {
  Json json = {{"id", row.id},
               {"directive", analysis::directive_name(row.directive)},
               {"file", row.file},
               {"line", row.line},
               {"function", row.function},
               {"api", row.api}};
  json.update(figures_json(row));
  json["paths"] = Json::array();
  for (const analysis::DirectivePath& path : row.paths) {
    Json frames = Json::array();
    for (const Frame& frame : path.frames) {
      frames.push_back({{"function", frame.function}, {"file", frame.file}, {"line", frame.line}});
    }
    Json& opened = json["paths"].emplace_back(Json{{"id", path.id}});
    opened.update(figures_json(path));
    opened["frames"] = std::move(frames);
  }
  return json;
}

Json variable_json(const analysis::VariableRow& row) {
  Json json = {{"id", row.id},
               {"name", row.name},
               {"expression", row.expression},
               {"file", row.file},
               {"line", row.line},
               {"bytes", row.bytes},
               {"aliases", row.aliases},
               {"HtoD_bytes", row.htod.bytes},
               {"HtoD_count", row.htod.count},
               {"DtoH_bytes", row.dtoh.bytes},
               {"DtoH_count", row.dtoh.count},
               {"transfer_ns", known_time(row.timed, row.htod.time + row.dtoh.time)}};
  if (row.least_bytes != 0) json["least_bytes"] = row.least_bytes;
  return json;
}

/// Data that crossed, in words and as rows.
Json crossed_json(const std::string& item, const analysis::CrossedItem& rows, const Analysis& of) {
  return {{"item", item},
          {"variable_ids", variable_ids(of, rows.variables)},
          {"directive_id", directive_id(of, rows.directive)}};
}

Json iteration_json(const analysis::Iteration& row, const Analysis& of, std::size_t offset,
                    std::size_t loops_before) {
  Json json = {{"id", row.id},
               {"from", row.unrolled    ? "repeats"
                        : row.from_code ? "code"
                                        : "order"},
               {"file", row.file},
               {"line", row.line},
               {"function", row.function},
               {"count", row.count},
               {"at_least", row.at_least},
               {"entries", row.entries},
               {"entries_at_least", row.entries_at_least},
               {"devices", row.devices},
               {"directives", Json::array()},
               {"directive_ids", directive_ids(of, row.directives)}};
  if (row.inside > 0) json["inside"] = row.inside;
  if (row.by_order.why != analysis::ByOrder::Why::kNot) {
    const bool is_code = row.by_order.why == analysis::ByOrder::Why::kCodeUnread;
    json["by_order"] = {{"why", is_code ? "code_unread" : "no_calls"},
                        {"function", row.by_order.function}};
  }
  const bool is_inner = row.parent != analysis::kNoRow;
  json["parent"] = is_inner ? Json(loops_before + row.parent) : Json();
  json["parent_id"] = is_inner ? Json(of.iterations[row.parent].id) : Json();
  for (const std::size_t directive : row.directives)
    json["directives"].push_back(offset + directive);
  json.update(pass_json(row.steady, row.invariant_bytes, row.timed));
  json["invariant_items"] = row.invariant_items;
  json["invariant"] = Json::array();
  for (std::size_t i = 0; i < row.invariant_rows.size(); ++i) {
    json["invariant"].push_back(crossed_json(row.invariant_items[i], row.invariant_rows[i], of));
  }
  json["recurring"] = Json::array();
  for (const analysis::Recurring& each : row.recurring) {
    Json& recurring = json["recurring"].emplace_back(crossed_json(each.item, each.of, of));
    recurring.update(
        {{"bytes", each.bytes}, {"unchanged", each.unchanged}, {"compared", each.compared}});
  }
  json["first"] = pass_json(row.first, std::nullopt, row.timed);
  return json;
}

Json finding_json(const analysis::Finding& row, const Analysis& of) {
  constexpr const char* kConfidence[] = {"certain", "likely", "possible"};
  Json json = {{"id", row.id},
               {"pattern", row.pattern},
               {"file", row.file},
               {"line", row.line},
               {"variable", row.variable},
               {"directive_ids", directive_ids(of, row.directives)},
               {"variable_ids", variable_ids(of, row.variables)},
               {"loop_ids", loop_ids(of, row.loops)},
               {"count", row.count},
               {"wasted_bytes", row.wasted_bytes},
               {"allocated_bytes", row.allocated_bytes},
               {"wasted_ns", known_time(row.timed, row.wasted_time)},
               {"confidence", kConfidence[static_cast<std::size_t>(row.confidence)]},
               {"coverage", {{"examined", row.examined}, {"of", row.of}}},
               {"evidence", evidence_text(row)},
               {"edits", edits_json(row, of)},
               {"unless", unless_json(row)},
               {"unreached", unreached_json(row, of)},
               {"memory_bytes", row.memory_bytes},
               {"advice", advice_text(row)}};
  if (row.runs.empty()) return json;
  for (const auto& [verdict, runs] : runs_by_verdict(row)) json["runs"][verdict] = runs;
  json["runs"]["words"] = runs_sentence(row);
  return json;
}

Json doubt_json(const analysis::Doubt& doubt) {
  return {{"id", analysis::row_id("doubted\n" + doubt.reason)},
          {"reason", doubt.reason},
          {"transfers", doubt.transfers},
          {"bytes", doubt.bytes}};
}

Json link_json(const analysis::Link& link) {
  return {{"model", link.name},
          {"bytes_per_second", link.bytes_per_second},
          {"latency_ns", link.latency},
          {"kernel_factor", link.kernels ? Json(*link.kernels) : Json(nullptr)}};
}

}  // namespace ompdm::report
