#include "messages.h"

#include <nlohmann/json.hpp>

namespace ompdm::edit {

namespace {

using Json = nlohmann::json;

Place place_in(const Json& json) {
  return {json.value("file", std::string()), json.value("line", 0)};
}

Clause clause_of(const Json& json) {
  Clause clause{json.at("kind"), {}};
  for (const Json& item : json.at("items")) {
    clause.items.push_back({item.at("expression"), place_in(item.at("named_at"))});
  }
  return clause;
}

Edit edit_of(const Json& json) {
  Edit edit;
  edit.kind = json.at("kind");
  edit.side = json.at("side");
  edit.of = json.at("of");
  edit.directive = json.at("directive");
  edit.when = json.at("when");
  edit.devices = json.at("devices").get<std::vector<int>>();
  edit.in_scope = json.at("in_scope");
  for (const Json& place : json.at("places")) edit.places.push_back(place_in(place));
  if (json.contains("inside")) edit.inside = place_in(json.at("inside"));
  for (const Json& clause : json.at("clauses")) edit.clauses.push_back(clause_of(clause));
  return edit;
}

}  // namespace

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
  for (const Json& finding : json.at("findings")) {
    Finding one{finding.at("number"),
                finding.at("pattern"),
                {},
                !finding.value("unreached", Json::array()).empty()};
    for (const Json& edit : finding.at("edits")) one.edits.push_back(edit_of(edit));
    request.findings.push_back(std::move(one));
  }
  return request;
}

void write_answer(const Answer& answer, std::ostream& out) {
  nlohmann::ordered_json json = {{"schema", "ompdm.edit/1"},
                                 {"errors", answer.errors},
                                 {"plans", nlohmann::ordered_json::array()}};
  for (const Plan& plan : answer.plans) {
    nlohmann::ordered_json one = {{"number", plan.number}, {"found", plan.found}};
    if (!plan.refused.empty()) {
      one["refused"] = {
          {"why", plan.refused}, {"file", plan.in_the_way.file}, {"line", plan.in_the_way.line}};
    }
    one["updates"] = plan.updates;
    one["returned"] = plan.returned;
    one["left_out"] = nlohmann::ordered_json::array();
    for (const LeftOut& each : plan.left_out) {
      one["left_out"].push_back({{"expression", each.item.expression},
                                 {"why", each.why},
                                 {"file", each.in_the_way.file},
                                 {"line", each.in_the_way.line}});
    }
    one["replacements"] = nlohmann::ordered_json::array();
    for (const Replacement& each : plan.replacements) {
      one["replacements"].push_back({{"file", each.file},
                                     {"offset", each.offset},
                                     {"length", each.length},
                                     {"text", each.text},
                                     {"behind", each.behind}});
    }
    json["plans"].push_back(std::move(one));
  }
  // Sources need not be UTF-8.
  out << json.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << '\n';
}

}  // namespace ompdm::edit
