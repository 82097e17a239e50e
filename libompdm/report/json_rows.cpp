#include "report/json_rows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "ompdm/analysis.h"
#include "ompdm/report.h"
#include "ompdm/trace.h"
#include "report/edit_words.h"
#include "report/headline.h"
#include "report/pragma.h"
#include "trace_files/trace_schema.h"

namespace ompdm::report {

namespace {

/// The id of a row of the recording's directives; null for kNoRow.
Json directive_id(const analysis::Analysis& of, std::size_t row);

/// Ids of rows, in the order of these.
Json directive_ids(const analysis::Analysis& of, const std::vector<std::size_t>& rows);
Json variable_ids(const analysis::Analysis& of, const std::vector<std::size_t>& rows);
Json loop_ids(const analysis::Analysis& of, const std::vector<std::size_t>& rows);

/// Ids of the directives, and of the loops, that stand at a place: several may stand on one line.
Json directive_ids_at(const analysis::Analysis& of, const analysis::SourcePlace& place);
Json loop_ids_at(const analysis::Analysis& of, const analysis::SourcePlace& place);

/// The id of a device by its number; null if the recording has no such device.
Json device_id(const analysis::Analysis& of, std::int32_t number);

using analysis::Analysis;
using analysis::SourcePlace;

template <class Row>
Json ids_of(const std::vector<Row>& table, const std::vector<std::size_t>& rows) {
  Json ids = Json::array();
  for (const std::size_t row : rows) ids.push_back(table[row].id);
  return ids;
}

template <class Row, class IsThere>
Json ids_if(const std::vector<Row>& table, IsThere is_there) {
  Json ids = Json::array();
  for (const Row& row : table) {
    if (is_there(row)) ids.push_back(row.id);
  }
  return ids;
}

bool is_at_line(const std::string& file, int line, const SourcePlace& place) {
  return place.line > 0 && line == place.line && file == place.file;
}

Json directive_id(const Analysis& of, std::size_t row) {
  return row == analysis::kNoRow ? Json(nullptr) : Json(of.directives[row].id);
}

Json directive_ids(const Analysis& of, const std::vector<std::size_t>& rows) {
  return ids_of(of.directives, rows);
}

Json variable_ids(const Analysis& of, const std::vector<std::size_t>& rows) {
  return ids_of(of.variables, rows);
}

Json loop_ids(const Analysis& of, const std::vector<std::size_t>& rows) {
  return ids_of(of.iterations, rows);
}

Json directive_ids_at(const Analysis& of, const SourcePlace& place) {
  return ids_if(of.directives, [&](const analysis::DirectiveRow& row) {
    return is_at_line(row.file, row.line, place) ||
           (row.line == 0 && place.address != 0 && row.address == place.address);
  });
}

Json loop_ids_at(const Analysis& of, const SourcePlace& place) {
  return ids_if(of.iterations, [&](const analysis::Iteration& row) {
    return is_at_line(row.file, row.line, place);
  });
}

std::string id_of(const Device& device) {
  return analysis::row_id(fmt::format("device\n{}\n{}", device.number, device.type));
}

Json device_id(const Analysis& of, std::int32_t number) {
  const auto at = std::ranges::find(of.devices, number, &Device::number);
  return at != of.devices.end() ? Json(id_of(*at)) : Json(nullptr);
}

using analysis::Edit;
using analysis::EditData;
using analysis::SourcePlace;

Json place_json(const SourcePlace& place) {
  return {{"file", place.file}, {"line", place.line}, {"function", place.function}};
}

/// With the rows that stand there; of a loop without a line those that the finding is of.
Json place_json(const analysis::Analysis& of, const analysis::Finding& finding,
                const analysis::Anchor& anchor, const SourcePlace& place) {
  Json json = place_json(place);
  if (anchor.of == analysis::Anchor::Of::kLoop || anchor.of == analysis::Anchor::Of::kCalls) {
    json["loop_ids"] = place.line > 0 ? loop_ids_at(of, place) : loop_ids(of, finding.loops);
  } else {
    json["directive_ids"] = directive_ids_at(of, place);
  }
  return json;
}

Json item_json(const analysis::Analysis& of, const EditData& data) {
  return {{"expression", data.expression}, {"variable_ids", variable_ids(of, data.variables)},
          {"objects", data.objects},       {"named_at", place_json(data.named_at)},
          {"varies", data.varies},         {"strays", data.strays},
          {"pieces", data.pieces}};
}

/// The directives of an insertion, as they are to be written in the language of the source.
Json pragmas_json(const analysis::Finding& finding, const Edit& edit) {
  constexpr std::size_t kWidest = 96;
  Json pragmas = Json::array();
  for (const std::string& code : code_of(finding, edit)) {
    pragmas.push_back(fmt::format("{}", fmt::join(set_code(code, finding.file, kWidest), "\n")));
  }
  return pragmas;
}

Json edit_json(const analysis::Analysis& of, const analysis::Finding& finding, const Edit& edit) {
  constexpr const char* kKinds[] = {"insert", "replace", "leave_out", "remove", "keep"};
  constexpr const char* kSides[] = {"at", "before", "within", "after"};
  constexpr const char* kOf[] = {"directive", "loop", "calls", "stay", "uses"};
  constexpr const char* kWhen[] = {"always",       "each_time",      "host_uses",
                                   "host_changed", "kernel_changed", "nothing_there"};
  Json places = Json::array();
  for (const SourcePlace& place : edit.anchor.places) {
    places.push_back(place_json(of, finding, edit.anchor, place));
  }
  Json clauses = Json::array();
  for (const analysis::EditClause& clause : edit.clauses) {
    Json items = Json::array();
    for (const std::uint32_t number : clause.data) {
      items.push_back(item_json(of, finding.data[number]));
    }
    clauses.push_back({{"kind", clause.kind}, {"items", std::move(items)}});
  }
  Json json = {{"kind", kKinds[static_cast<std::size_t>(edit.kind)]},
               {"side", kSides[static_cast<std::size_t>(edit.anchor.side)]},
               {"of", kOf[static_cast<std::size_t>(edit.anchor.of)]},
               {"places", std::move(places)},
               {"directive", analysis::directive_name(edit.directive)},
               {"clauses", std::move(clauses)},
               {"devices", edit.devices},
               {"when", kWhen[static_cast<std::size_t>(edit.when)]},
               {"after_taskwait", edit.after_taskwait},
               {"in_scope", edit.in_scope}};
  if (edit.kind == analysis::EditKind::kInsert) json["pragmas"] = pragmas_json(finding, edit);
  if (!edit.calls.empty()) {
    json["calls"] = Json::array();
    for (const SourcePlace& call : edit.calls) json["calls"].push_back(place_json(call));
  }
  if (edit.anchor.unplaced) json["words"] = loop_text(*edit.anchor.unplaced);
  if (edit.anchor.inside) json["inside"] = place_json(*edit.anchor.inside);
  if (edit.anchor.all_entries) json["all_entries"] = true;
  return json;
}

/// `of`: the recording that the finding is of, whose rows are referred to.
Json edits_json(const analysis::Finding& finding, const analysis::Analysis& of) {
  Json edits = Json::array();
  for (const Edit& edit : finding.edits) edits.push_back(edit_json(of, finding, edit));
  return edits;
}

/// "host_uses", "kernel_changes", "host_wants_restore", "made_anew".
Json unless_json(const analysis::Finding& finding) {
  constexpr const char* kUnless[] = {"host_uses",   "host_changes",       "kernel_changes",
                                     "kernel_uses", "host_wants_restore", "made_anew",
                                     "no_pass"};
  Json unless = Json::array();
  for (const analysis::Unless one : finding.unless) {
    unless.push_back(kUnless[static_cast<std::size_t>(one)]);
  }
  return unless;
}

/// Directives that the run did not reach, for which there are no edits.
Json unreached_json(const analysis::Finding& finding, const analysis::Analysis& of) {
  Json rows = Json::array();
  for (const UnreachedDirective& each : finding.unreached) {
    const SourcePlace place{each.place.file, each.place.line, each.place.function, 0};
    Json row = place_json(place);
    row["directive_ids"] = directive_ids_at(of, place);
    row["directive"] = analysis::directive_name(each.directive);
    row["on_host"] = each.on_host;
    rows.push_back(std::move(row));
  }
  return rows;
}

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

using analysis::Analysis;

Json device_json(const Device& device) {
  return {{"id", id_of(device)},
          {"number", device.number},
          {"type", device.type},
          {"name", device.name},
          {"is_host", device.is_host}};
}

Json device_use_json(const analysis::DeviceUse& row, const Analysis& of) {
  return {{"id", analysis::row_id(fmt::format("device_use\n{}", row.device))},
          {"device", row.device},
          {"device_id", device_id(of, row.device)},
          {"span_ns", row.span},
          {"copies_ns", row.copies},
          {"kernels_ns", row.kernels},
          {"both_ns", row.both},
          {"idle_ns", row.idle}};
}

Json host_wait_json(const analysis::HostWait& row, const Analysis& of, std::size_t offset) {
  const bool known = row.directive != analysis::kNoRow;
  const std::string at = known ? of.directives[row.directive].id : std::string();
  return {{"id", analysis::row_id("host_wait\n" + at)},
          {"directive", known ? Json(offset + row.directive) : Json(nullptr)},
          {"directive_id", directive_id(of, row.directive)},
          {"count", row.count},
          {"total_ns", row.total},
          {"avg_ns", row.average},
          {"max_ns", row.maximum},
          {"kernels_ns", row.kernels},
          {"copies_ns", row.copies},
          {"neither_ns", row.neither}};
}

Json start_latency_json(const analysis::StartLatency& row) {
  const std::string type(analysis::activity_type_name(row.type));
  return {{"id", analysis::row_id("start_latency\n" + type)},
          {"type", type},
          {"count", row.count},
          {"min_ns", row.minimum},
          {"avg_ns", row.average},
          {"max_ns", row.maximum},
          {"queued_count", row.queued}};
}

}  // namespace ompdm::report
