#include "report/edits_json.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/loop_words.h"
#include "report/pragma.h"
#include "report/row_refs.h"

namespace ompdm::report {
namespace {

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

}  // namespace

Json edits_json(const analysis::Finding& finding, const analysis::Analysis& of) {
  Json edits = Json::array();
  for (const Edit& edit : finding.edits) edits.push_back(edit_json(of, finding, edit));
  return edits;
}

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

}  // namespace ompdm::report
