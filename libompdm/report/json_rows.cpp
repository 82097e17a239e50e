#include "report/json_rows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "report/clauses.h"
#include "report/edits.h"
#include "report/findings.h"
#include "report/staging.h"
#include "trace_files/trace_schema.h"

namespace ompdm::report {

namespace {

using analysis::Analysis;
using analysis::Edit;
using analysis::Finding;
using analysis::SourcePlace;

/// The value of each row, in an array.
template <class Rows, class ToJson>
Json array_of(const Rows& rows, ToJson to_json) {
  Json array = Json::array();
  for (const auto& row : rows) array.push_back(to_json(row));
  return array;
}

template <class Value>
Json known(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json known_time(bool is_known, Nanoseconds duration) {
  return is_known ? Json(duration) : Json(nullptr);
}

/// Ids of rows of a table, which are known by their positions.
template <class Row>
Json ids_of(const std::vector<Row>& table, const std::vector<std::size_t>& rows) {
  return array_of(rows, [&](std::size_t row) { return table[row].id; });
}

/// Null for kNoRow.
Json directive_id(const Analysis& of, std::size_t row) {
  return row == analysis::kNoRow ? Json(nullptr) : Json(of.directives[row].id);
}

bool is_at_line(const std::string& file, int line, const SourcePlace& place) {
  return place.line > 0 && line == place.line && file == place.file;
}

/// The ids of rows for which `is` is true.
template <class Row, class Is>
Json ids_where(const std::vector<Row>& rows, Is is) {
  Json ids = Json::array();
  for (const Row& row : rows) {
    if (is(row)) ids.push_back(row.id);
  }
  return ids;
}

/// Of the directives that stand at a place: several may stand on one line.
Json directive_ids_at(const Analysis& of, const SourcePlace& place) {
  return ids_where(of.directives, [&](const analysis::DirectiveRow& row) {
    const bool is_at_address = row.line == 0 && place.address != 0 && row.address == place.address;
    return is_at_address || is_at_line(row.file, row.line, place);
  });
}

std::string id_of(const Device& device) {
  return analysis::row_id(fmt::format("device\n{}\n{}", device.number, device.type));
}

Json place_json(const SourcePlace& place) {
  return {{"file", place.file}, {"line", place.line}, {"function", place.function}};
}

/// With the rows that stand there; of a loop without a line those that the finding is of.
Json anchor_json(const Analysis& of, const Finding& finding, const Edit& edit,
                 const SourcePlace& place) {
  using Of = analysis::Anchor::Of;
  Json json = place_json(place);
  if (edit.anchor.of == Of::kLoop || edit.anchor.of == Of::kCalls) {
    json["loop_ids"] = place.line == 0 ? ids_of(of.loops, finding.loops)
                                       : ids_where(of.loops, [&](const analysis::LoopRow& row) {
                                           return is_at_line(row.file, row.line, place);
                                         });
  } else {
    json["directive_ids"] = directive_ids_at(of, place);
  }
  return json;
}

Json item_json(const Analysis& of, const analysis::EditData& data) {
  return {{"expression", data.expression}, {"variable_ids", ids_of(of.variables, data.variables)},
          {"objects", data.objects},       {"named_at", place_json(data.named_at)},
          {"varies", data.varies},         {"strays", data.strays},
          {"pieces", data.pieces}};
}

/// `of`: the recording that the finding is of, whose rows are referred to.
Json edit_json(const Analysis& of, const Finding& finding, const Edit& edit) {
  constexpr const char* kKinds[] = {"insert", "replace", "leave_out", "remove", "keep"};
  constexpr const char* kSides[] = {"at", "before", "within", "after"};
  constexpr const char* kOf[] = {"directive", "loop", "calls", "stay", "uses"};
  constexpr const char* kWhen[] = {"always",       "each_time",      "host_uses",
                                   "host_changed", "kernel_changed", "nothing_there"};
  constexpr std::size_t kWidestPragma = 96;
  const auto clause_json = [&](const analysis::EditClause& clause) {
    return Json{{"kind", clause.kind}, {"items", array_of(clause.data, [&](std::uint32_t number) {
                                          return item_json(of, finding.data[number]);
                                        })}};
  };
  Json json = {{"kind", kKinds[static_cast<std::size_t>(edit.kind)]},
               {"side", kSides[static_cast<std::size_t>(edit.anchor.side)]},
               {"of", kOf[static_cast<std::size_t>(edit.anchor.of)]},
               {"places", array_of(edit.anchor.places,
                                   [&](const SourcePlace& place) {
                                     return anchor_json(of, finding, edit, place);
                                   })},
               {"directive", analysis::directive_name(edit.directive)},
               {"clauses", array_of(edit.clauses, clause_json)},
               {"devices", edit.devices},
               {"when", kWhen[static_cast<std::size_t>(edit.when)]},
               {"after_taskwait", edit.after_taskwait},
               {"in_scope", edit.in_scope}};
  if (edit.kind == analysis::EditKind::kInsert) {
    json["pragmas"] = array_of(code_of(finding, edit), [&](const std::string& code) {
      return fmt::format("{}", fmt::join(set_code(code, finding.file, kWidestPragma), "\n"));
    });
  }
  if (!edit.calls.empty()) {
    json["calls"] = array_of(edit.calls, [](const SourcePlace& call) { return place_json(call); });
  }
  if (edit.anchor.unplaced) json["words"] = loop_text(*edit.anchor.unplaced);
  if (edit.anchor.inside) json["inside"] = place_json(*edit.anchor.inside);
  if (edit.anchor.all_entries) json["all_entries"] = true;
  if (edit.anchor.in_each_lifetime) json["in_each_lifetime"] = true;
  return json;
}

const char* name_of(analysis::Unless unless) {
  constexpr const char* kUnless[] = {"host_uses",   "host_changes",       "kernel_changes",
                                     "kernel_uses", "host_wants_restore", "made_anew",
                                     "no_pass",     "none_before"};
  return kUnless[static_cast<std::size_t>(unless)];
}

Json answer_json(const analysis::SourceAnswer& answer) {
  constexpr const char* kAnswers[] = {"unknown", "no", "yes"};
  Json json = {{"condition", name_of(answer.condition)},
               {"answer", kAnswers[static_cast<std::size_t>(answer.answer)]},
               {"variables", answer.data}};
  if (answer.at.line > 0) json.update({{"file", answer.at.file}, {"line", answer.at.line}});
  if (!answer.why.empty()) json["why"] = answer.why;
  return json;
}

/// A directive that the run did not reach, for which there are no edits.
Json unreached_json(const UnreachedDirective& directive, const Analysis& of) {
  const Frame& frame = directive.place;
  const SourcePlace place{frame.file, frame.line, frame.function, 0};
  Json row = place_json(place);
  row["directive_ids"] = directive_ids_at(of, place);
  row["directive"] = analysis::directive_name(directive.directive);
  row["on_host"] = directive.on_host;
  return row;
}

Json iteration_json(const analysis::IterationCost& cost,
                    const std::optional<std::uint64_t>& invariant, bool timed) {
  return {{"HtoD_bytes", cost.htod_bytes},
          {"DtoH_bytes", cost.dtoh_bytes},
          {"allocations", cost.allocations},
          {"invariant_bytes", known(invariant)},
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
          {"transfer_ns", known_time(sum.timed, transfer_time(sum))},
          {"kernel_ns", known_time(sum.timed, sum.kernel_time)}};
}

/// `offset`: where the recording's directives begin in the document's table.
Json trace_json(const Analysis& one, std::size_t offset) {
  const auto loss_json = [](const Loss& loss) {
    return Json{{"name", loss.name}, {"count", loss.count}};
  };
  const auto unfinished_json = [&](const analysis::UnfinishedRegion& region) {
    const bool is_known = region.directive != analysis::kNoRow;
    return Json{{"directive", is_known ? Json(offset + region.directive) : Json(nullptr)},
                {"directive_id", directive_id(one, region.directive)},
                {"elapsed_ns", region.elapsed}};
  };
  const Process& process = one.process;
  const Recording& recording = one.recording;
  const analysis::Headline& unions = one.headline;
  return {{"id", analysis::row_id(fmt::format("trace\n{}\n{}\n{}", process.host, process.pid,
                                              process.start_realtime_ns))},
          {"file", one.file},
          {"program", process.program},
          {"arguments", process.arguments},
          {"pid", process.pid},
          {"host", process.host},
          {"rank", process.rank >= 0 ? Json(process.rank) : Json(nullptr)},
          {"wall_ns", process.wall},
          {"hashing_ns", process.wall - one.program_wall},
          {"detail", trace_schema::word_of(recording.detail)},
          {"told_from_ns", recording.recorded_from},
          {"told_to_ns", recording.recorded_to != 0 ? recording.recorded_to : process.wall},
          {"runtime", recording.runtime},
          {"reach", trace_schema::word_of(recording.reach)},
          {"cupti", recording.cupti},
          {"finished", recording.finished},
          {"truncated", one.truncated},
          {"transfer_union_ns", known_time(unions.measured, unions.transfer)},
          {"movement_union_ns", known_time(unions.measured, unions.movement)},
          {"kernel_union_ns", known_time(unions.measured, unions.kernel)},
          {"device_union_ns", known_time(unions.measured, unions.device)},
          {"unfinished", array_of(one.unfinished, unfinished_json)},
          {"losses", array_of(one.losses, loss_json)}};
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

/// Data that was transferred, in words and as rows.
Json item_json(const std::string& item, const analysis::CrossedItem& rows, const Analysis& of) {
  return {{"item", item},
          {"variable_ids", ids_of(of.variables, rows.variables)},
          {"directive_id", directive_id(of, rows.directive)}};
}

Json device_json(const Device& device) {
  return {{"id", id_of(device)},
          {"number", device.number},
          {"type", device.type},
          {"name", device.name},
          {"is_host", device.is_host}};
}

Json device_use_json(const analysis::DeviceUse& row, const Analysis& of) {
  const auto device = std::ranges::find(of.devices, row.device, &Device::number);
  return {{"id", analysis::row_id(fmt::format("device_use\n{}", row.device))},
          {"device", row.device},
          {"device_id", device != of.devices.end() ? Json(id_of(*device)) : Json(nullptr)},
          {"span_ns", row.span},
          {"copies_ns", row.copies},
          {"kernels_ns", row.kernels},
          {"both_ns", row.both},
          {"idle_ns", row.idle}};
}

Json host_wait_json(const analysis::HostWait& row, const Analysis& of, std::size_t offset) {
  const bool is_known = row.directive != analysis::kNoRow;
  const std::string at = is_known ? of.directives[row.directive].id : std::string();
  return {{"id", analysis::row_id("host_wait\n" + at)},
          {"directive", is_known ? Json(offset + row.directive) : Json(nullptr)},
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

Json doubt_json(const analysis::Doubt& doubt) {
  constexpr const char* kReasons[] = {"no_change_known",        "device_address", "mapped_pointer",
                                      "declare_target_pointer", "pointer_table",  "unnamed_data"};
  const std::string reason = kReasons[static_cast<std::size_t>(doubt.reason)];
  return {{"id", analysis::row_id("doubted\n" + reason)},
          {"reason", reason},
          {"transfers", doubt.transfers},
          {"bytes", doubt.bytes}};
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

Json prediction_json(const analysis::Prediction& one) {
  return {{"wall_ns", one.wall},
          {"transfer_ns", one.transfer},
          {"spared_transfers", one.spared_transfers},
          {"spared_bytes", one.spared_bytes},
          {"at_most", one.at_most}};
}

/// A prediction for several processes is that of the slowest.
Json prediction_json(Analyses analyses) {
  std::optional<analysis::Prediction> slowest;
  std::optional<analysis::Prediction> possible;
  for (const Analysis& one : analyses) {
    if (!one.prediction || (slowest && slowest->wall >= one.prediction->wall)) continue;
    slowest = one.prediction;
    possible = one.possible_prediction;
  }
  if (!slowest) return nullptr;
  Json json = prediction_json(*slowest);
  json["possible"] = possible ? prediction_json(*possible) : Json(nullptr);
  return json;
}

const char* name_of(analysis::Verdict verdict) {
  constexpr const char* kVerdicts[] = {"dominates", "matters", "no_problem", "not_judged"};
  return kVerdicts[static_cast<std::size_t>(verdict)];
}

Json patch_json(const SourcePatch& patch) {
  const auto to_hunk = [](const SourceHunk& hunk) {
    return Json{{"file", hunk.file}, {"line", hunk.line}, {"lines", hunk.lines}};
  };
  Json json = {{"hunks", array_of(patch.hunks, to_hunk)}, {"left_out", patch.left_out}};
  if (!patch.refused.empty()) json["refused"] = patch.refused;
  return json;
}

}  // namespace

Json compared_trace_json(const Analysis& one) {
  Json json = trace_json(one, 0);
  if (is_recorded_whole(one)) return json;
  for (const char* length :
       {"transfer_union_ns", "movement_union_ns", "kernel_union_ns", "device_union_ns"}) {
    json[length] = nullptr;
  }
  return json;
}

Json totals_json(const analysis::Totals& totals) {
  Json json = Json::object();
  for (const auto& [name, member, has_bytes] : kFlows) {
    const analysis::Flow& flow = totals.*member;
    if (has_bytes) json[name]["bytes"] = flow.bytes;
    json[name]["count"] = flow.count;
    json[name]["time_ns"] = flow.time;
  }
  return json;
}

Json link_json(const analysis::Link& link) {
  return {{"model", link.name},
          {"bytes_per_second", link.bytes_per_second},
          {"latency_ns", link.latency},
          {"kernel_factor", known(link.kernels)}};
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
               {"percent", known(row.percent)},
               {"clock", trace_schema::word_of(row.clock)}};
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
  json["paths"] = array_of(row.paths, [](const analysis::DirectivePath& path) {
    Json opened = {{"id", path.id}};
    opened.update(figures_json(path));
    opened["frames"] = array_of(path.frames, [](const Frame& frame) {
      return Json{{"function", frame.function}, {"file", frame.file}, {"line", frame.line}};
    });
    return opened;
  });
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

Json loop_json(const analysis::LoopRow& row, const Analysis& of, std::size_t offset,
               std::size_t loops_before) {
  Json json = {
      {"id", row.id},
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
      {"directives", array_of(row.directives, [&](std::size_t at) { return offset + at; })},
      {"directive_ids", ids_of(of.directives, row.directives)}};
  if (row.inside > 0) json["inside"] = row.inside;
  if (row.by_order.why != analysis::ByOrder::Why::kNot) {
    const bool is_code = row.by_order.why == analysis::ByOrder::Why::kCodeUnread;
    json["by_order"] = {{"why", is_code ? "code_unread" : "no_calls"},
                        {"function", row.by_order.function}};
  }
  const bool is_inner = row.parent != analysis::kNoRow;
  json["parent"] = is_inner ? Json(loops_before + row.parent) : Json();
  json["parent_id"] = is_inner ? Json(of.loops[row.parent].id) : Json();
  json.update(iteration_json(row.steady, row.invariant_bytes, row.timed));
  json["invariant_items"] = row.invariant_items;
  json["invariant"] = Json::array();
  for (std::size_t i = 0; i < row.invariant_rows.size(); ++i) {
    json["invariant"].push_back(item_json(row.invariant_items[i], row.invariant_rows[i], of));
  }
  json["recurring"] = array_of(row.recurring, [&](const analysis::Recurring& each) {
    Json recurring = item_json(each.item, each.of, of);
    recurring.update(
        {{"bytes", each.bytes}, {"unchanged", each.unchanged}, {"compared", each.compared}});
    return recurring;
  });
  json["first"] = iteration_json(row.first, std::nullopt, row.timed);
  return json;
}

namespace {

/// Of runs on several inputs: which have the finding.
void add_runs(const Finding& row, Json& json) {
  if (row.runs.empty()) return;
  for (const auto& [verdict, runs] : runs_by_verdict(row)) json["runs"][verdict] = runs;
  json["runs"]["words"] = runs_sentence(row);
}

}  // namespace

Json finding_json(const Finding& row, const Analysis& of) {
  const auto to_edit = [&](const Edit& edit) { return edit_json(of, row, edit); };
  const auto to_unless = [](analysis::Unless unless) { return name_of(unless); };
  const auto to_unreached = [&](const UnreachedDirective& each) {
    return unreached_json(each, of);
  };
  Json json = {{"id", row.id},
               {"pattern", row.pattern},
               {"file", row.file},
               {"line", row.line},
               {"variable", row.variable},
               {"directive_ids", ids_of(of.directives, row.directives)},
               {"variable_ids", ids_of(of.variables, row.variables)},
               {"loop_ids", ids_of(of.loops, row.loops)},
               {"count", row.count},
               {"wasted_bytes", row.wasted_bytes},
               {"allocated_bytes", row.allocated_bytes},
               {"wasted_ns", known_time(row.timed, row.wasted_time)},
               {"confidence", confidence_of(row)},
               {"coverage", {{"examined", row.examined}, {"of", row.of}}},
               {"evidence", evidence_text(row)},
               {"edits", array_of(row.edits, to_edit)},
               {"unless", array_of(row.unless, to_unless)},
               {"unreached", array_of(row.unreached, to_unreached)},
               {"memory_bytes", row.memory_bytes},
               {"advice", advice_text(row)}};
  if (!row.answers.empty()) json["answers"] = array_of(row.answers, answer_json);
  if (row.patch != SourcePatch()) json["patch"] = patch_json(row.patch);
  add_runs(row, json);
  return json;
}

Json mapping_json(const Finding& row, const Analysis& of) {
  const auto& facts = std::get<analysis::facts::ClauseEffect>(row.facts);
  Json json = {{"id", row.id},
               {"pattern", row.pattern},
               {"stake", stake_of(row)},
               {"file", row.file},
               {"line", row.line},
               {"directive", analysis::directive_name(facts.directive)},
               {"directive_ids", ids_of(of.directives, row.directives)},
               {"item", facts.item},
               {"clause", facts.clause},
               {"bytes", facts.bytes},
               {"devices", facts.devices},
               {"count", row.count},
               {"confidence", confidence_of(row)},
               {"evidence", evidence_text(row)},
               {"advice", advice_text(row)}};
  if (facts.holder) {
    json["held"] = place_json(*facts.holder);
    json["held"].update({{"directive", analysis::directive_name(facts.held_by)},
                         {"item", facts.held_as},
                         {"bytes", facts.held_bytes}});
  }
  if (facts.copied) json["copied_at"] = place_json(*facts.copied);
  if (!facts.kernels.empty()) json["kernels"] = array_of(facts.kernels, place_json);
  if (facts.ended) json["ended_at"] = place_json(*facts.ended);
  if (!facts.member.empty()) json["member"] = facts.member;
  if (facts.is_static) json["declare_target"] = true;
  if (!facts.pointers.empty()) json["pointers"] = facts.pointers;
  if (!facts.unset_reads.empty()) json["unset_reads"] = facts.unset_reads;
  if (facts.offset != 0) json.update({{"offset", facts.offset}, {"write", facts.is_write}});
  if (facts.shown.line > 0) {
    json["used_at"] = {{"file", facts.shown.file}, {"line", facts.shown.line}};
  }
  json["edits"] = array_of(row.edits, [&](const Edit& edit) { return edit_json(of, row, edit); });
  add_runs(row, json);
  return json;
}

namespace {}  // namespace

namespace {

Json holder_json(const analysis::MemoryHolder& holder) {
  Json json = place_json(holder.place);
  json.update({{"name", holder.name}, {"bytes", holder.bytes}, {"blocks", holder.blocks}});
  if (!holder.caller.file.empty()) json["caller"] = place_json(holder.caller);
  return json;
}

/// Of all recordings: the highest peak of a device, and a row a device.
Json memory_json(Analyses analyses) {
  Json json = {{"peak", 0}, {"left", 0}, {"devices", Json::array()}};
  std::uint64_t peak = 0;
  std::uint64_t left = 0;
  const Ranks ranks = ranks_of(analyses);
  for (std::size_t i = 0; i < analyses.size(); ++i) {
    for (const analysis::MemoryRow& row : analyses[i].memory) {
      peak = std::max(peak, row.peak);
      for (const analysis::MemoryHolder& holder : row.left) left += holder.bytes;
      Json device = place_json(row.place);
      device.update({{"device", row.device}, {"peak", row.peak}, {"at_ns", row.at}});
      device["holders"] = array_of(row.holders, holder_json);
      device["left"] = array_of(row.left, holder_json);
      if (!ranks.key.empty()) device[ranks.key] = ranks.labels[i];
      json["devices"].push_back(std::move(device));
    }
  }
  json["peak"] = peak;
  json["left"] = left;
  return json;
}

}  // namespace

Json report_json(Analyses analyses) {
  const SourceNames names(analyses);
  Json json = {{"schema", kReportSchema}};
  json["verdict"] = name_of(analysis::verdict_of(analyses));
  if (const auto& link = analyses.front().link) json["link"] = link_json(*link);
  for (const char* table : {"traces", "devices"}) json[table] = Json::array();
  json["totals"] = totals_json(totals_of(analyses));
  for (const char* table :
       {"activities", "api_calls", "device_use", "host_waits", "start_latencies", "directives",
        "variables", "iterations", "mapping", "findings", "doubted"}) {
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
    json["traces"].back()["sources_asked"] = one.sources_asked;
    json["traces"].back()["clauses"] = {
        {"directives", one.clause_checks.directives},
        {"checked", one.clause_checks.is_part ? 0 : one.clause_checks.checked}};
    if (one.run > 0) json["traces"].back()["run"] = one.run;
    for (const auto& row : one.devices) add("devices", device_json(row));
    for (const auto& row : one.activities) add("activities", activity_json(row, one, names));
    for (const auto& row : one.api_calls) add("api_calls", activity_json(row, one, names));
    for (const auto& row : one.device_use) add("device_use", device_use_json(row, one));
    for (const auto& row : one.host_waits) add("host_waits", host_wait_json(row, one, offsets[i]));
    for (const auto& row : one.start_latencies) add("start_latencies", start_latency_json(row));
    for (const auto& row : one.directives) add("directives", directive_json(row));
    for (const auto& row : one.variables) add("variables", variable_json(row));
    const std::size_t loops_before = json["iterations"].size();
    for (const auto& row : one.loops) {
      add("iterations", loop_json(row, one, offsets[i], loops_before));
    }
    for (const auto& row : one.mapping) add("mapping", mapping_json(row, one));
    for (const auto& row : one.findings) add("findings", finding_json(row, one));
    for (const auto& row : one.doubts) add("doubted", doubt_json(row));
    for (const auto& row : one.refuted) add("refuted", finding_json(row, one));
  }
  json["staging"] = staging_json(analyses);
  json["memory"] = memory_json(analyses);
  json["withheld"] = withheld_json(analyses);
  json["prediction"] = prediction_json(analyses);
  return json;
}

}  // namespace ompdm::report
