// One program recorded with several inputs: what a run on one of them calls needless may be needed
// on another.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "recorded.h"

namespace ompdm::e2e::inputs_test {
namespace {

class Inputs : public ::testing::Test {
 protected:
  void record_input(const std::string& way) {
    const Command command{
        {OMPDM_COMMAND, "record", "-o", way + ".json", "--", program("inputs"), way}};
    EXPECT_EQ(run(command, folder_.path()).status, 0) << way;
  }
  [[nodiscard]] Ended report(std::vector<std::string> words) const {
    words.insert(words.begin(), {OMPDM_COMMAND, "report"});
    return run({words}, folder_.path());
  }
  /// The finding that `run` has of the loop's mappings, with the runs of these inputs.
  [[nodiscard]] Json mapping_in(std::size_t run, const std::vector<std::string>& ways) const {
    std::vector<std::string> words = {"--format", "json"};
    for (const std::string& way : ways) words.push_back(way + ".json");
    const Ended ended = report(words);
    EXPECT_EQ(ended.status, 0) << ended.err;
    const Json all = Json::parse(ended.out);
    for (const Json& finding : all["findings"]) {
      if (finding["run"] == run && finding["pattern"] == "per_iteration_mapping") return finding;
    }
    ADD_FAILURE() << ended.out;
    return {};
  }

  Folder folder_;
};

TEST_F(Inputs, KeepAnEditThatAllRunsHave) {
  for (const char* way : {"plain", "other", "skip"}) record_input(way);
  const Json found = mapping_in(1, {"plain", "other", "skip"});
  EXPECT_EQ(found["runs"]["hold"], Json({1, 2}));
  EXPECT_EQ(found["runs"]["unreached"], Json({3}));
  EXPECT_FALSE(found["edits"].empty());
  const Ended text = report({"plain.json", "other.json", "skip.json"});
  EXPECT_NE(text.out.find("in 2 of 3 runs; not in run 3, which does not reach it"),
            std::string::npos)
      << text.out;
  EXPECT_EQ(text.out.find("\n2. "), std::string::npos) << "what two runs say is said once";
}

TEST_F(Inputs, LoseAnEditThatIsWrongInOne) {
  for (const char* way : {"plain", "host"}) record_input(way);
  EXPECT_FALSE(record({{program("inputs"), "plain"}}).report["findings"][0]["edits"].empty());
  const Json found = mapping_in(1, {"plain", "host"});
  EXPECT_TRUE(found["edits"].empty()) << found["edits"];
  EXPECT_GT(found["wasted_bytes"], 0);
  EXPECT_EQ(found["runs"]["hold"], Json({1}));
  EXPECT_NE(report({"plain.json", "host.json"}).out.find(": so no edit is given"),
            std::string::npos);
}

// Run 2 reads the array on the host, in a branch that nothing in run 1 leads to.
TEST_F(Inputs, TakeTheEditsOfTheRunThatReachesMore) {
  for (const char* way : {"plain", "look"}) record_input(way);
  EXPECT_TRUE(mapping_in(1, {"plain", "look"})["edits"].empty());
  const Json found = mapping_in(2, {"plain", "look"});
  EXPECT_FALSE(found["edits"].empty());
  EXPECT_EQ(found["runs"]["hold"], Json({1, 2}));
}

TEST_F(Inputs, ArePossibleOnlyWithARunOfOneIteration) {
  for (const char* way : {"plain", "once"}) record_input(way);
  const Json found = mapping_in(1, {"plain", "once"});
  EXPECT_EQ(found["confidence"], "possible");
  EXPECT_EQ(found["runs"]["untold"], Json({2}));
}

// Run 2 maps twice as much of the array in the same loop. Data kept around it by run 1's edit would
// be too short for it.
TEST_F(Inputs, LoseAnEditWhereAnotherRunDoesOtherWork) {
  for (const char* way : {"plain", "wide", "wider"}) record_input(way);
  EXPECT_FALSE(record({{program("inputs"), "plain"}}).report["findings"][0]["edits"].empty());
  for (const char* way : {"wide", "wider"}) {
    const Json found = mapping_in(1, {"plain", way});
    EXPECT_TRUE(found["edits"].empty()) << way << found["edits"];
    EXPECT_EQ(found["runs"]["other_work"], Json({2})) << found["runs"];
  }
  EXPECT_NE(report({"plain.json", "wide.json"})
                .out.find("in 1 of 2 runs; run 2 does other work there: so no edit is given"),
            std::string::npos);
}

}  // namespace
}  // namespace ompdm::e2e::inputs_test
