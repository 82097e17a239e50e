#include "request.h"

#include <nlohmann/json.hpp>

namespace ompdm::edit {
namespace {

using Json = nlohmann::json;

Place place_of(const Json& json) {
  return {json.value("file", std::string()), json.value("line", 0)};
}

Clause clause_of(const Json& json) {
  Clause clause{json.at("kind"), {}};
  for (const Json& item : json.at("items")) {
    clause.items.push_back({item.at("expression"), place_of(item.at("named_at"))});
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
  for (const Json& place : json.at("places")) edit.places.push_back(place_of(place));
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

}  // namespace ompdm::edit
