// What the source says of a kernel's data settles what a run leaves open.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "project.h"
#include "recorded.h"

namespace ompdm::e2e::source_facts_test {
namespace {

/// Of each finding its pattern and its confidence, by its variable.
std::map<std::string, std::string> found(const std::string& source,
                                         const std::string& name = "uses") {
  const Folder folder;
  const auto trace = (folder.path() / "trace.json").string();
  const Ended recorded =
      run({{OMPDM_COMMAND, "record", "-o", trace, "--", program(name)}}, folder.path());
  EXPECT_EQ(recorded.status, 0) << recorded.err;
  const Ended reported = run(
      {{OMPDM_COMMAND, "report", "--format", "json", "--source", source, trace}}, folder.path());
  EXPECT_EQ(reported.status, 0) << reported.err;
  EXPECT_EQ(reported.err, "");
  const Json report = Json::parse(reported.out);
  std::map<std::string, std::string> all;
  for (const Json& finding : report["findings"]) {
    all[finding["variable"]] =
        finding["pattern"].get<std::string>() + ' ' + finding["confidence"].get<std::string>();
  }
  return all;
}

using Found = std::map<std::string, std::string>;

TEST(SourceFacts, SettleWhatAKernelDoesWithItsData) {
  EXPECT_EQ(found("off"), (Found{{"idle, same, table", "unmodified_copy_back possible"}}));
  EXPECT_EQ(found("auto"), (Found{{"idle", "unused_allocation proven"},
                                  {"table", "unmodified_copy_back proven"}}));
}

TEST(SourceFacts, CountCopiesBackThatTheHostDoesNotRead) {
  EXPECT_EQ(found("auto", "pure_output"), (Found{{"a, r", "per_iteration_mapping proven"}}));
  EXPECT_EQ(found("off", "pure_output").count("a, r"), 0U);
}

TEST(SourceFacts, TellUpdatesOfWhatNothingChanges) {
  EXPECT_EQ(found("auto", "sent_each_time"), (Found{{"m", "duplicate_transfer proven"}}));
  EXPECT_EQ(found("auto", "filled_within"), (Found{{"m", "per_iteration_update proven"}}))
      << "what is mapped is filled only then: one update before the loop is needed";
}

TEST(SourceFacts, TellZerosFromOneAnother) {
  EXPECT_EQ(found("off", "zeros"), (Found{{"a", "round_trip_transfer likely"}}));
  EXPECT_EQ(found("auto", "zeros"),
            (Found{{"a", "round_trip_transfer proven"}, {"b", "unmodified_copy_back proven"}}));
}

TEST(SourceFacts, LeaveAloneWhatIsNeededAllTheSame) {
  EXPECT_EQ(found("auto", "needed"), (Found{{"a", "per_iteration_mapping possible"},
                                            {"d", "per_iteration_mapping possible"},
                                            {"out", "repeated_allocation likely"}}));
}

/// Of the program's largest finding all that is left to its reader.
void expect_no_question(const std::string& source, const std::vector<std::string>& others = {}) {
  const std::filesystem::path cases = std::filesystem::path(OMPDM_E2E_SOURCES) / "../cases";
  std::vector<std::filesystem::path> beside;
  for (const std::string& other : others) beside.push_back(cases / other);
  Project project(cases / source, beside);
  project.set("OMPDM_SOURCE", "auto");
  ASSERT_TRUE(project.make());
  ASSERT_TRUE(project.record());
  const Ended ended = project.start({OMPDM_COMMAND, "report", "--format", "json", "trace.json"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(ended.err, "");
  const Json report = Json::parse(ended.out);
  const Json& finding = report.at("findings").at(0);
  EXPECT_EQ(finding.at("pattern"), "per_iteration_mapping");
  EXPECT_EQ(finding.at("confidence"), "proven");
  EXPECT_TRUE(finding.at("unless").empty());
  EXPECT_TRUE(finding.at("unreached").empty());
  for (const Json& answer : finding.at("answers")) EXPECT_EQ(answer.at("answer"), "no") << answer;
  const std::uint64_t bytes = finding.at("wasted_bytes");
  const Json& totals = report.at("totals");
  EXPECT_GT(10 * bytes, 9 * (totals.at("HtoD").at("bytes").get<std::uint64_t>() +
                             totals.at("DtoH").at("bytes").get<std::uint64_t>()));
}

TEST(SourceFacts, LeaveNoQuestionOfVectorsThatAreMembers) { expect_no_question("cg_members.cpp"); }

TEST(SourceFacts, LeaveNoQuestionOfTimeStepsInSeveralFiles) {
  expect_no_question("waves/main.c", {"waves/step.c", "waves/state.c", "waves/waves.h"});
}

// An answer may stay open for good: to ask for it takes as long as the first time.
TEST(SourceFacts, AreAskedAgainOnlyOfSourcesThatChanged) {
  const std::filesystem::path cases = std::filesystem::path(OMPDM_E2E_SOURCES) / "../cases";
  Project project(cases / "waves/main.c",
                  {cases / "waves/step.c", cases / "waves/state.c", cases / "waves/waves.h"});
  project.set("OMPDM_SOURCE", "auto");
  ASSERT_TRUE(project.make());
  ASSERT_TRUE(project.record());
  const auto report = [&] { return project.start({OMPDM_COMMAND, "report", "trace.json"}).err; };
  EXPECT_EQ(report(), "");
  const std::filesystem::path kept = project.folder() / "trace.facts";
  auto facts = nlohmann::ordered_json::parse(project.text("trace.facts"));
  facts.at("host").at(0).at("written").at("answer") = "unknown";
  facts.at("origin").at("sentences").push_back("kept");
  std::ofstream(kept) << facts;
  EXPECT_EQ(report(), "ompdm: kept\n");
  facts.at("origin").at("digest") = "other";
  std::ofstream(kept) << facts;
  EXPECT_EQ(report(), "");
  EXPECT_NE(Json::parse(project.text("trace.facts")).at("origin").at("digest"), "other");
}

}  // namespace
}  // namespace ompdm::e2e::source_facts_test
