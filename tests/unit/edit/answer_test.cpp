// The JSON of an answer.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "messages.h"

namespace ompdm::edit::answer_test {
namespace {

using Json = nlohmann::json;

Json written(const Answer& answer) {
  std::ostringstream out;
  write_answer(answer, out);
  return Json::parse(out.str());
}

TEST(WriteAnswer, HasWhatTheCompilerRefused) {
  const Json json = written({{"u.c:1: expected ';'", "u.c:2: more"}, {}});
  EXPECT_EQ(json.at("schema"), "ompdm.edit/1");
  EXPECT_EQ(json.at("errors"), Json::array({"u.c:1: expected ';'", "u.c:2: more"}));
  EXPECT_EQ(json.at("plans"), Json::array());
}

TEST(WriteAnswer, HasWhatIsToBeReplaced) {
  Plan plan;
  plan.number = 4;
  plan.replacements = {{"/a/u.c", 17, 3, "text", true}, {"/a/u.c", 40, 0, "more", false}};
  plan.updates = 2;
  plan.returned = {"u"};
  const Json json = written({{}, {plan}});
  EXPECT_EQ(json.at("errors"), Json::array());
  ASSERT_EQ(json.at("plans").size(), 1u);
  const Json& one = json.at("plans")[0];
  EXPECT_EQ(one.at("number"), 4);
  EXPECT_EQ(one.at("found"), true);
  EXPECT_EQ(one.at("updates"), 2);
  EXPECT_EQ(one.at("returned"), Json::array({"u"}));
  EXPECT_EQ(one.at("left_out"), Json::array());
  EXPECT_FALSE(one.contains("refused"));
  ASSERT_EQ(one.at("replacements").size(), 2u);
  EXPECT_EQ(
      one.at("replacements")[0],
      (Json{
          {"file", "/a/u.c"}, {"offset", 17}, {"length", 3}, {"text", "text"}, {"behind", true}}));
  EXPECT_EQ(one.at("replacements")[1].at("behind"), false);
}

TEST(WriteAnswer, HasTheStatementInTheWay) {
  Plan plan;
  plan.refused = "this leaves it";
  plan.in_the_way = {"/a/u.c", 12};
  const Json one = written({{}, {plan}}).at("plans")[0];
  EXPECT_EQ(
      one.at("refused"),
      (Json{{"why", "this leaves it"}, {"file", "/a/u.c"}, {"line", 12}, {"also", Json::array()}}));
  EXPECT_EQ(one.at("replacements"), Json::array());
}

TEST(WriteAnswer, HasWhatIsLeftOut) {
  Plan plan;
  plan.left_out = {{{"v[0:n]", {"/a/v.c", 3}}, "it is read", {"/a/u.c", 5}}};
  const Json one = written({{}, {plan}}).at("plans")[0];
  EXPECT_EQ(one.at("left_out"), (Json{{{"expression", "v[0:n]"},
                                       {"why", "it is read"},
                                       {"file", "/a/u.c"},
                                       {"line", 5},
                                       {"also", Json::array()}}}));
}

TEST(WriteAnswer, SaysWhichFindingIsNotOfThisUnit) {
  Plan plan;
  plan.found = false;
  EXPECT_EQ(written({{}, {plan}}).at("plans")[0].at("found"), false);
}

// Sources need not be UTF-8.
TEST(WriteAnswer, IsJsonWhateverTheSourceHolds) {
  Plan plan;
  plan.replacements = {{"/a/u.c", 0, 0, "caf\xe9 \"\\\n", false}};
  const Json json = written({{}, {plan}});
  const std::string text = json.at("plans")[0].at("replacements")[0].at("text");
  EXPECT_EQ(text.substr(0, 3), "caf");
  EXPECT_EQ(text.substr(text.size() - 4), " \"\\\n");
}

}  // namespace
}  // namespace ompdm::edit::answer_test
