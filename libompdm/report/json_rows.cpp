#include "report/json_rows.h"

#include <utility>

#include "ompdm/report.h"
#include "report/edits_json.h"

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

Json trace_json(const Analysis& one) {
  Json losses = Json::array();
  for (const Loss& loss : one.losses)
    losses.push_back({{"name", loss.name}, {"count", loss.count}});
  Json unfinished = Json::array();
  for (const auto& region : one.unfinished) {
    const bool known = region.directive != analysis::kNoRow;
    unfinished.push_back({{"directive", known ? Json(region.directive) : Json(nullptr)},
                          {"elapsed_ns", region.elapsed}});
  }
  return {{"file", one.file},
          {"program", one.process.program},
          {"arguments", one.process.arguments},
          {"pid", one.process.pid},
          {"host", one.process.host},
          {"rank", one.process.rank >= 0 ? Json(one.process.rank) : Json(nullptr)},
          {"wall_ns", one.process.wall},
          {"hashing_ns", one.process.wall - one.program_wall},
          {"runtime", one.recording.runtime},
          {"reach", one.recording.reach},
          {"cupti", one.recording.cupti},
          {"finished", one.recording.finished},
          {"truncated", one.truncated},
          {"transfer_union_ns", known_time(one.headline.measured, one.headline.transfer)},
          {"kernel_union_ns", known_time(one.headline.measured, one.headline.kernel)},
          {"device_union_ns", known_time(one.headline.measured, one.headline.device)},
          {"unfinished", std::move(unfinished)},
          {"losses", std::move(losses)}};
}

Json device_json(const Device& device) {
  return {{"number", device.number},
          {"type", device.type},
          {"name", device.name},
          {"is_host", device.is_host}};
}

Json activity_json(const analysis::Activity& row, const SourceNames& names) {
  constexpr const char* kClocks[] = {"host", "device", "enqueue", "model"};
  return {{"type", analysis::activity_type_name(row.type)},
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
          {"clock", kClocks[static_cast<std::size_t>(row.clock)]}};
}

Json device_use_json(const analysis::DeviceUse& row) {
  return {{"device", row.device},      {"span_ns", row.span}, {"copies_ns", row.copies},
          {"kernels_ns", row.kernels}, {"both_ns", row.both}, {"idle_ns", row.idle}};
}

Json host_wait_json(const analysis::HostWait& row, std::size_t offset) {
  const bool known = row.directive != analysis::kNoRow;
  return {{"directive", known ? Json(offset + row.directive) : Json(nullptr)},
          {"count", row.count},
          {"total_ns", row.total},
          {"avg_ns", row.average},
          {"max_ns", row.maximum},
          {"kernels_ns", row.kernels},
          {"copies_ns", row.copies},
          {"neither_ns", row.neither}};
}

Json start_latency_json(const analysis::StartLatency& row) {
  return {{"type", analysis::activity_type_name(row.type)},
          {"count", row.count},
          {"min_ns", row.minimum},
          {"avg_ns", row.average},
          {"max_ns", row.maximum},
          {"queued_count", row.queued}};
}

Json directive_json(const analysis::DirectiveRow& row) {
  Json json = {{"directive", analysis::directive_name(row.directive)},
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
    Json& opened = json["paths"].emplace_back(figures_json(path));
    opened["frames"] = std::move(frames);
  }
  return json;
}

Json variable_json(const analysis::VariableRow& row) {
  Json json = {{"name", row.name},
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

Json iteration_json(const analysis::Iteration& row, std::size_t offset, std::size_t loops_before) {
  Json json = {{"from", row.unrolled    ? "repeats"
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
               {"directives", Json::array()}};
  json["parent"] = row.parent == analysis::kNoRow ? Json() : Json(loops_before + row.parent);
  for (const std::size_t directive : row.directives)
    json["directives"].push_back(offset + directive);
  json.update(pass_json(row.steady, row.invariant_bytes, row.timed));
  json["invariant_items"] = row.invariant_items;
  json["recurring"] = Json::array();
  for (const analysis::Recurring& each : row.recurring) {
    json["recurring"].push_back({{"item", each.item},
                                 {"bytes", each.bytes},
                                 {"unchanged", each.unchanged},
                                 {"compared", each.compared}});
  }
  json["first"] = pass_json(row.first, std::nullopt, row.timed);
  return json;
}

Json finding_json(const analysis::Finding& row) {
  constexpr const char* kConfidence[] = {"certain", "likely", "possible"};
  return {{"id", row.id},
          {"pattern", row.pattern},
          {"file", row.file},
          {"line", row.line},
          {"variable", row.variable},
          {"count", row.count},
          {"wasted_bytes", row.wasted_bytes},
          {"wasted_ns", known_time(row.timed, row.wasted_time)},
          {"confidence", kConfidence[static_cast<std::size_t>(row.confidence)]},
          {"coverage", {{"examined", row.examined}, {"of", row.of}}},
          {"evidence", evidence_text(row)},
          {"edits", edits_json(row)},
          {"unless", unless_json(row)},
          {"unreached", unreached_json(row)},
          {"memory_bytes", row.memory_bytes},
          {"advice", advice_text(row)}};
}

Json doubt_json(const analysis::Doubt& doubt) {
  return {{"reason", doubt.reason}, {"transfers", doubt.transfers}, {"bytes", doubt.bytes}};
}

Json link_json(const analysis::Link& link) {
  return {{"model", link.name},
          {"bytes_per_second", link.bytes_per_second},
          {"latency_ns", link.latency}};
}

}  // namespace ompdm::report
