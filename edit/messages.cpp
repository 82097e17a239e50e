#include "messages.h"

#include <nlohmann/json.hpp>

namespace ompdm::edit {

using Json = nlohmann::json;
using Ordered = nlohmann::ordered_json;

void from_json(const Json& json, Place& place) {
  place = {json.value("file", std::string()), json.value("line", 0)};
}

void from_json(const Json& json, CompiledLines& one) {
  one = {json.at("file"), json.at("lines").get<std::vector<int>>()};
}

void from_json(const Json& json, Unit& unit) {
  unit = {json.at("file"), json.at("directory"), json.at("arguments")};
  if (json.contains("compiled")) {
    unit.compiled = json.at("compiled").get<std::vector<CompiledLines>>();
  }
  unit.by_clang = json.value("by_clang", false);
}

void from_json(const Json& json, Item& item) {
  item = {json.at("expression"), json.at("named_at").get<Place>()};
}

void from_json(const Json& json, Clause& clause) {
  clause = {json.at("kind"), json.at("items").get<std::vector<Item>>()};
}

void from_json(const Json& json, Edit& edit) {
  edit.kind = json.at("kind");
  edit.side = json.at("side");
  edit.of = json.at("of");
  edit.directive = json.at("directive");
  edit.when = json.at("when");
  edit.devices = json.at("devices").get<std::vector<int>>();
  edit.in_scope = json.at("in_scope");
  edit.places = json.at("places").get<std::vector<Place>>();
  if (json.contains("inside")) edit.inside = json.at("inside").get<Place>();
  edit.clauses = json.at("clauses").get<std::vector<Clause>>();
}

void from_json(const Json& json, Stretch& stretch) {
  stretch = {json.at("number"),
             json.at("kind"),
             json.at("places").get<std::vector<Place>>(),
             json.value("from", std::vector<Place>()),
             json.value("all_entries", false),
             json.at("items").get<std::vector<Item>>(),
             json.value("to_end", false)};
}

Request read_request(std::istream& in) {
  const Json json = Json::parse(in);
  Request request;
  request.file = json.at("file");
  request.beside = json.value("beside", std::vector<std::string>());
  request.is_whole = json.value("is_whole", false);
  request.directory = json.at("directory");
  request.arguments = json.at("arguments");
  request.released = json.value("released", std::vector<std::string>());
  request.spoil = json.value("spoil", false);
  request.may_assume = json.value("may_assume", false);
  request.asserts = json.value("asserts", false);
  request.regions = json.value("regions", std::vector<Place>());
  request.has_all_units = json.value("has_all_units", false);
  request.units = json.value("units", std::vector<Unit>());
  request.stretches = json.value("stretches", std::vector<Stretch>());
  if (json.contains("compiled")) {
    request.compiled = json.at("compiled").get<std::vector<CompiledLines>>();
  }
  request.by_clang = json.value("by_clang", false);
  for (const Json& finding : json.at("findings")) {
    request.findings.push_back({finding.at("number"), finding.at("pattern"),
                                finding.at("edits").get<std::vector<Edit>>(),
                                finding.value("unreached", std::vector<Place>()),
                                finding.value("settled", false), finding.value("refuted", false)});
  }
  return request;
}

namespace {

Ordered json_of(const Place& place) { return {{"file", place.file}, {"line", place.line}}; }

Ordered json_of(const ItemFacts& item) {
  Ordered one = {{"name", item.name}, {"use", item.use}};
  if (!item.why.empty())
    one.update({{"why", item.why}, {"file", item.at.file}, {"line", item.at.line}});
  if (item.read_at) one["read_at"] = json_of(*item.read_at);
  if (item.written_at) one["written_at"] = json_of(*item.written_at);
  one["updates"] = item.updates;
  one["reduction"] = item.reduction;
  one["overwritten_first"] = item.overwritten_first;
  if (!item.overwritten.empty()) one["overwritten"] = item.overwritten;
  if (item.element_bytes > 0) one["element_bytes"] = item.element_bytes;
  if (item.last_index) {
    one.update({{"last_index", *item.last_index},
                {"last_is_written", item.last_is_written},
                {"last_line", item.last_line}});
  }
  if (item.offset) one["offset"] = *item.offset;
  return one;
}

Ordered json_of(const HostUse& fact) {
  Ordered one = {{"use", fact.use}};
  if (!fact.why.empty()) one["why"] = fact.why;
  if (fact.at) one["at"] = json_of(*fact.at);
  if (fact.always) one["always"] = true;
  if (fact.of_elements) one["of_elements"] = true;
  for (const Place& place : fact.beside) one["beside"].push_back(json_of(place));
  return one;
}

Ordered json_of(const StretchFacts& stretch) {
  Ordered one = {{"number", stretch.number}, {"items", Ordered::array()}};
  for (const StretchItemFacts& item : stretch.items) {
    Ordered row = {{"expression", item.item.expression},
                   {"named_at", json_of(item.item.named_at)},
                   {"found", item.found}};
    if (!item.why.empty()) row["why"] = item.why;
    row["read"] = json_of(item.read);
    row["written"] = json_of(item.written);
    row["renewed"] = json_of(item.renewed);
    row["kernel_read"] = json_of(item.kernel_read);
    row["kernel_written"] = json_of(item.kernel_written);
    row["no_iteration"] = json_of(item.no_iteration);
    row["again"] = json_of(item.again);
    row["stale"] = json_of(item.stale);
    if (item.sent_before) row["sent_before"] = true;
    if (item.left_old) row["left_old"] = true;
    one["items"].push_back(std::move(row));
  }
  return one;
}

Ordered json_of(const Facts& facts) {
  Ordered regions = Ordered::array();
  for (const RegionFacts& region : facts.regions) {
    Ordered one = json_of(region.place);
    one["found"] = region.found;
    if (!region.doubt.empty()) {
      one["doubt"] = json_of(region.doubt_at);
      one["doubt"]["why"] = region.doubt;
    }
    one["items"] = Ordered::array();
    for (const ItemFacts& item : region.items) one["items"].push_back(json_of(item));
    for (const ItemFacts& item : region.own_copies) one["own_copies"].push_back(json_of(item));
    regions.push_back(std::move(one));
  }
  Ordered stretches = Ordered::array();
  for (const StretchFacts& stretch : facts.stretches) stretches.push_back(json_of(stretch));
  return {
      {"regions", std::move(regions)}, {"files", facts.files}, {"stretches", std::move(stretches)}};
}

/// {"why", "file", "line", "also": [{"why", "file", "line"}, ...]}.
Ordered json_of(const std::string& why, const Place& at, const std::vector<Obstacle>& others) {
  Ordered json = {{"why", why}, {"file", at.file}, {"line", at.line}, {"also", Ordered::array()}};
  for (const Obstacle& one : others) {
    json["also"].push_back({{"why", one.why}, {"file", one.at.file}, {"line", one.at.line}});
  }
  return json;
}

}  // namespace

void write_answer(const Answer& answer, std::ostream& out) {
  Ordered json = {
      {"schema", "ompdm.edit/1"}, {"errors", answer.errors}, {"plans", Ordered::array()}};
  for (const Plan& plan : answer.plans) {
    Ordered one = {{"number", plan.number}, {"found", plan.found}};
    if (!plan.refused.empty()) {
      one["refused"] = json_of(plan.refused, plan.in_the_way, plan.others);
    }
    one["updates"] = plan.updates;
    one["returned"] = plan.returned;
    one["left_out"] = Ordered::array();
    for (const LeftOut& each : plan.left_out) {
      Ordered left = json_of(each.why, each.in_the_way, each.others);
      left["expression"] = each.item.expression;
      one["left_out"].push_back(std::move(left));
    }
    one["assumed"] = Ordered::array();
    for (const Assumption& each : plan.assumed) {
      one["assumed"].push_back({{"what", each.what},
                                {"file", each.at.file},
                                {"line", each.at.line},
                                {"is_tested", !each.tests.empty()}});
    }
    one["replacements"] = Ordered::array();
    for (const Replacement& each : plan.replacements) {
      one["replacements"].push_back({{"file", each.file},
                                     {"offset", each.offset},
                                     {"length", each.length},
                                     {"text", each.text},
                                     {"behind", each.behind}});
    }
    json["plans"].push_back(std::move(one));
  }
  if (answer.facts) json["facts"] = json_of(*answer.facts);
  if (answer.facts) json["unread"] = Ordered::array();
  for (const Unread& unit : answer.unread) {
    json["unread"].push_back({{"file", unit.file}, {"why", unit.why}});
  }
  // Sources need not be UTF-8.
  out << json.dump(-1, ' ', false, Ordered::error_handler_t::replace) << '\n';
}

}  // namespace ompdm::edit
