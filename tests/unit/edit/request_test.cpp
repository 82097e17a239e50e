// What is read of a request, and what is none.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "messages.h"

namespace ompdm::edit::request_test {
namespace {

using Json = nlohmann::json;

Request read(const Json& json) {
  std::istringstream in(json.dump());
  return read_request(in);
}

Json smallest() {
  return {{"file", "/a/u.c"},
          {"directory", "/a"},
          {"arguments", Json::array({"-O2"})},
          {"findings", Json::array()}};
}

Json insertion() {
  return {{"kind", "insert"},
          {"side", "before"},
          {"of", "loop"},
          {"directive", "target enter data"},
          {"when", "always"},
          {"devices", Json::array({1})},
          {"in_scope", true},
          {"places", {{{"file", "/a/u.c"}, {"line", 7}}}},
          {"clauses",
           {{{"kind", "to"},
             {"items",
              {{{"expression", "u[0:n]"}, {"named_at", {{"file", "/a/u.c"}, {"line", 8}}}}}}}}}};
}

Json with_edit(const Json& edit) {
  Json request = smallest();
  request["findings"] = {
      {{"number", 3}, {"pattern", "round_trip"}, {"edits", Json::array({edit})}}};
  return request;
}

TEST(ReadRequest, TakesWhatIsNotSaidForNo) {
  const Request request = read(smallest());
  EXPECT_EQ(request.file, "/a/u.c");
  EXPECT_EQ(request.directory, "/a");
  EXPECT_EQ(request.arguments, std::vector<std::string>{"-O2"});
  EXPECT_TRUE(request.beside.empty());
  EXPECT_TRUE(request.released.empty());
  EXPECT_TRUE(request.findings.empty());
  EXPECT_TRUE(request.regions.empty());
  EXPECT_FALSE(request.is_whole);
  EXPECT_FALSE(request.spoil);
}

TEST(ReadRequest, HasWhatIsSaidOfTheProgram) {
  Json json = smallest();
  json["beside"] = Json::array({"/a/v.c"});
  json["is_whole"] = true;
  json["released"] = Json::array({"u"});
  json["spoil"] = true;
  json["regions"] = {{{"file", "/a/u.c"}, {"line", 12}}};
  const Request request = read(json);
  EXPECT_EQ(request.beside, std::vector<std::string>{"/a/v.c"});
  EXPECT_EQ(request.released, std::vector<std::string>{"u"});
  EXPECT_TRUE(request.is_whole);
  EXPECT_TRUE(request.spoil);
  ASSERT_EQ(request.regions.size(), 1u);
  EXPECT_EQ(request.regions[0].file, "/a/u.c");
  EXPECT_EQ(request.regions[0].line, 12);
}

TEST(ReadRequest, HasAllOfAnEdit) {
  const Request request = read(with_edit(insertion()));
  ASSERT_EQ(request.findings.size(), 1u);
  EXPECT_EQ(request.findings[0].number, 3);
  EXPECT_EQ(request.findings[0].pattern, "round_trip");
  ASSERT_EQ(request.findings[0].edits.size(), 1u);
  const Edit& edit = request.findings[0].edits[0];
  EXPECT_EQ(edit.kind, "insert");
  EXPECT_EQ(edit.side, "before");
  EXPECT_EQ(edit.of, "loop");
  EXPECT_EQ(edit.directive, "target enter data");
  EXPECT_EQ(edit.when, "always");
  EXPECT_EQ(edit.devices, std::vector<int>{1});
  EXPECT_TRUE(edit.in_scope);
  ASSERT_EQ(edit.places.size(), 1u);
  EXPECT_EQ(edit.places[0].file, "/a/u.c");
  EXPECT_EQ(edit.places[0].line, 7);
  ASSERT_EQ(edit.clauses.size(), 1u);
  EXPECT_EQ(edit.clauses[0].kind, "to");
  ASSERT_EQ(edit.clauses[0].items.size(), 1u);
  EXPECT_EQ(edit.clauses[0].items[0].expression, "u[0:n]");
  EXPECT_EQ(edit.clauses[0].items[0].named_at.line, 8);
}

TEST(ReadRequest, LeavesAPlaceOpenThatIsNotKnown) {
  Json edit = insertion();
  edit["places"] = Json::array({Json::object()});
  const Request request = read(with_edit(edit));
  EXPECT_EQ(request.findings[0].edits[0].places[0].file, "");
  EXPECT_EQ(request.findings[0].edits[0].places[0].line, 0);
}

TEST(ReadRequest, RemembersWhetherDirectivesWereNotReached) {
  Json json = with_edit(insertion());
  EXPECT_TRUE(read(json).findings[0].unreached.empty());
  json["findings"][0]["unreached"] = {{{"file", "/a/u.c"}, {"line", 9}}};
  EXPECT_EQ(read(json).findings[0].unreached.at(0).line, 9);
  json["findings"][0]["unreached"] = Json::array();
  EXPECT_TRUE(read(json).findings[0].unreached.empty());
}

// The report has more of each, and may have more one day.
TEST(ReadRequest, PassesByWhatItDoesNotKnow) {
  Json edit = insertion();
  edit["instances"] = 7;
  edit["places"][0]["function"] = "main";
  Json json = with_edit(edit);
  json["colour"] = "red";
  EXPECT_EQ(read(json).findings[0].edits[0].places[0].line, 7);
}

TEST(ReadRequest, ThrowsWhereSomethingIsMissing) {
  for (const char* name : {"file", "directory", "arguments", "findings"}) {
    Json json = smallest();
    json.erase(name);
    EXPECT_THROW(read(json), Json::exception) << name;
  }
  const Json whole = insertion();
  for (const auto& [name, value] : whole.items()) {
    Json edit = whole;
    edit.erase(name);
    EXPECT_THROW(read(with_edit(edit)), Json::exception) << name;
  }
}

TEST(ReadRequest, ThrowsOnValuesOfAnotherType) {
  Json json = smallest();
  json["arguments"] = "-O2";
  EXPECT_THROW(read(json), Json::exception);
  Json edit = insertion();
  edit["devices"] = Json::array({"first"});
  EXPECT_THROW(read(with_edit(edit)), Json::exception);
  edit = insertion();
  edit["in_scope"] = "yes";
  EXPECT_THROW(read(with_edit(edit)), Json::exception);
}

TEST(ReadRequest, ThrowsOnWhatIsNoJson) {
  for (const char* text : {"", "{", "[]", "null", "{\"file\": \"u.c\"", "#include <stdio.h>"}) {
    std::istringstream in(text);
    EXPECT_THROW(read_request(in), Json::exception) << text;
  }
}

}  // namespace
}  // namespace ompdm::edit::request_test
