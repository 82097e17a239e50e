// Data clauses that do not do what they say, in real programs.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "project.h"
#include "recorded.h"

namespace ompdm::e2e::clauses_test {
namespace {

/// A program of the folder, and what the report says of it: "line pattern stake", with what the
/// source shows, and by the trace alone.
struct Case {
  const char* program;
  std::vector<std::string> shown;
  std::vector<std::string> traced;
};

std::vector<std::string> told(const Json& report) {
  std::vector<std::string> all;
  for (const Json& row : report.at("mapping")) {
    all.push_back(std::to_string(row.at("line").get<int>()) + ' ' +
                  row.at("pattern").get<std::string>() + ' ' + row.at("stake").get<std::string>());
  }
  return all;
}

/// What is told of a program: with what its source shows, and by the trace alone.
Case told_of(const Command& program, const char* name) {
  const Folder folder;
  const std::string trace = (folder.path() / "trace.json").string();
  Command command = {{OMPDM_COMMAND, "record", "-o", trace, "--"}};
  command.words.insert(command.words.end(), program.words.begin(), program.words.end());
  // The runtime ends some programs.
  run(command, folder.path());
  const auto told_with = [&](const char* source) {
    const Ended ended = run(
        {{OMPDM_COMMAND, "report", "--format", "json", "--source", source, trace}}, folder.path());
    EXPECT_EQ(ended.status, 0) << ended.err;
    return told(Json::parse(ended.out));
  };
  return {name, told_with("auto"), told_with("off")};
}

class ClausesOf : public ::testing::TestWithParam<Case> {};

TEST_P(ClausesOf, AreToldWhereTheyStand) {
  const Case& one = GetParam();
  const Case found = told_of({{program("clauses_" + std::string(one.program))}}, one.program);
  EXPECT_EQ(found.traced, one.traced);
#ifdef OMPDM_HAS_EDIT
  EXPECT_EQ(found.shown, one.shown);
#endif
}

TEST(Clauses, DoWhatTheySayInEachRungOfTheKernels) {
  const std::vector<std::vector<std::string>> runs = {
      {kernel("heat"), "--variant", "naive", "60"},
      {kernel("heat"), "--variant", "data", "60"},
      {kernel("heat"), "--variant", "collapse", "60"},
      {kernel("heat"), "--variant", "optimized", "60"},
      {kernel("jacobi"), "--variant", "naive", "60"},
      {kernel("jacobi"), "--variant", "data", "60"},
      {kernel("jacobi"), "--variant", "branchless", "60"},
      {kernel("jacobi"), "--variant", "coalesced", "60"},
      {kernel("pi")},
      {kernel("vadd")}};
  for (const std::vector<std::string>& words : runs) {
    const Case found = told_of({words}, "");
    EXPECT_EQ(found.traced, std::vector<std::string>()) << words.front() << ' ' << words.back();
    EXPECT_EQ(found.shown, std::vector<std::string>()) << words.front() << ' ' << words.back();
  }
}

/// The report on a program of the folder, as JSON.
Json report_of(const char* name, const char* source = "off") {
  const Folder folder;
  const std::string trace = (folder.path() / "trace.json").string();
  run({{OMPDM_COMMAND, "record", "-o", trace, "--", program(std::string("clauses_") + name)}},
      folder.path());
  return Json::parse(
      run({{OMPDM_COMMAND, "report", "--format", "json", "--source", source, trace}}, folder.path())
          .out);
}

bool is_of_llvm_19(const Json& report) {
  const std::string runtime = report.at("traces").at(0).at("runtime");
  return runtime.find("LLVM 19") != std::string::npos;
}

/// LLVM 19 deletes the table that a pointer lies in, where the pointer's data is deleted; LLVM 22
/// does not.
TEST(Clauses, ThatDeleteARowDeleteTheTableOfPointers) {
  const Json report = report_of("pointers_deleted");
  const std::vector<std::string> expected = {"22 not_present hazard", "24 not_present hazard"};
  EXPECT_EQ(told(report), is_of_llvm_19(report) ? expected : std::vector<std::string>());
}

#ifdef OMPDM_HAS_EDIT
/// LLVM 19 maps the pointers with their data; LLVM 22 does not.
TEST(Clauses, OfSectionsNeedTheObjectThatHoldsTheirPointers) {
  const Json report = report_of("pointers_alone", "auto");
  ASSERT_EQ(told(report), std::vector<std::string>({is_of_llvm_19(report)
                                                        ? "13 pointer_not_mapped hazard"
                                                        : "13 pointer_not_mapped wrong_values"}));
  const Json& row = report.at("mapping").at(0);
  EXPECT_EQ(row.at("item"), "f");
  EXPECT_EQ(row.at("pointers").size(), 2U);
  // The object is mapped by one of its other members alone.
  const Json other = report_of("accessors", "auto");
  EXPECT_EQ(told(other),
            std::vector<std::string>({is_of_llvm_19(other) ? "11 pointer_not_mapped hazard"
                                                           : "24 partly_present wrong_values"}));
}
#endif

/// The runtime tells of both only that data is entered.
TEST(Clauses, OfATargetDataThatIsCutOffAreNoEnterDatas) {
  const Json report = report_of("cut_off");
  std::vector<std::string> directives;
  for (const Json& row : report.at("directives")) {
    directives.push_back(row.at("directive"));
  }
  std::ranges::sort(directives);
  EXPECT_EQ(directives, (std::vector<std::string>{"target", "target data"}));
}

/// The finding on a program that has one, by each verb that tells findings.
TEST(Clauses, AreToldByEachVerb) {
  const Folder folder;
  for (const auto& [name, trace] :
       {std::pair("changed", "a.json"), {"changed", "again.json"}, {"right", "right.json"}}) {
    run({{OMPDM_COMMAND, "record", "-o", trace, "--", program(std::string("clauses_") + name)}},
        folder.path());
  }
  const auto ompdm = [&](std::vector<std::string> words) {
    words.insert(words.begin(), OMPDM_COMMAND);
    return run({std::move(words)}, folder.path());
  };
  const auto json = [&](const std::vector<std::string>& words) {
    return Json::parse(ompdm(words).out);
  };
  const Json report = json({"report", "a.json", "--format", "json"});
  ASSERT_EQ(report.at("mapping").size(), 1U);
  const Json& row = report.at("mapping").at(0);

  const Ended list = ompdm({"explain", "a.json", row.at("id")});
  EXPECT_EQ(list.status, 0) << list.err;
  EXPECT_NE(list.out.find("update to("), std::string::npos) << list.out;
  const std::size_t number = report.at("findings").size() + 1;
  EXPECT_EQ(ompdm({"explain", "a.json", std::to_string(number)}).status, 0);
  EXPECT_EQ(ompdm({"explain", "a.json", std::to_string(number + 1)}).status, 2);

  const Json compared = json({"compare", "a.json", "right.json", "--format", "json"});
  EXPECT_EQ(compared.at("mapping").at("went").size(), 1U);
  EXPECT_EQ(compared.at("mapping").at("came").size(), 0U);
  EXPECT_EQ(ompdm({"compare", "right.json", "a.json", "--fail-if", "mapping.came > 0"}).status, 3);

  const Json runs = json({"report", "--as", "inputs", "a.json", "again.json", "--format", "json"});
  ASSERT_EQ(runs.at("mapping").size(), 2U);
  EXPECT_EQ(runs.at("mapping").at(0).at("runs").at("hold"), Json({1, 2}));

  const Json job = json({"report", "--ranks", "a.json", "--format", "json"});
  ASSERT_EQ(job.at("mapping").size(), 1U);
  EXPECT_EQ(job.at("mapping").at(0).at("id"), row.at("id"));
}

INSTANTIATE_TEST_SUITE_P(
    Programs, ClausesOf,
    ::testing::Values(
        Case{"alloc_only", {"13 never_sent wrong_values"}, {"13 never_sent hazard"}},
        Case{"associated", {}, {}}, Case{"behind_end", {"11 out_of_section wrong_values"}, {}},
        Case{"changed", {"16 not_sent wrong_values"}, {"16 not_sent hazard"}},
        Case{"changed_struct", {"15 not_sent wrong_values"}, {"15 not_sent hazard"}},
        Case{"declared", {"12 not_sent wrong_values"}, {"12 not_sent hazard"}},
        Case{"copied_elsewhere", {"7 not_copied_back hazard"}, {}},
        Case{"copied_then_read", {}, {}},
        Case{"deleted", {"13 results_lost wrong_values"}, {"13 results_lost hazard"}},
        Case{"ended_object", {}, {}}, Case{"other_update", {"6 not_copied_back wrong_values"}, {}},
        Case{"entered_twice", {"17 not_copied_back wrong_values"}, {"17 not_copied_back hazard"}},
        Case{"entered_again", {"8 not_sent wrong_values"}, {}}, Case{"fenced", {}, {}},
        Case{"frames", {"20 ended_frame wrong_values"}, {"20 ended_frame wrong_values"}},
        Case{"gone",
             {"12 results_lost hazard", "13 not_present no_effect"},
             {"12 results_lost hazard", "13 not_present no_effect"}},
        Case{"global_pointers", {"10 never_sent wrong_values"}, {}},
        Case{"inner_from", {"12 not_copied_back wrong_values"}, {"10 results_lost hazard"}},
        Case{"longer", {"11 partly_present hazard"}, {"11 partly_present hazard"}},
        Case{"mapped_again", {"12 device_address hazard"}, {"12 device_address hazard"}},
        Case{"member", {"14 partly_present hazard"}, {"14 partly_present hazard"}},
        Case{"never_ended", {"11 results_lost wrong_values"}, {}},
        Case{"no_clause",
             {"11 host_address hazard", "11 host_address hazard"},
             {"11 host_address hazard", "11 host_address hazard"}},
        Case{"old_scalar", {"16 private_copy wrong_values"}, {}}, Case{"ordered", {}, {}},
        Case{"other_member", {"14 partly_present wrong_values"}, {}},
        Case{"outdated", {"11 results_lost hazard"}, {}}, Case{"own_member", {}, {}},
        Case{"own_scalar", {"8 private_copy wrong_values"}, {"8 private_copy wrong_values"}},
        Case{"pointer_end", {"12 not_present wrong_values"}, {"12 not_present hazard"}},
        Case{"read_inside", {"10 not_copied_back wrong_values"}, {}}, Case{"read_outside", {}, {}},
        Case{"pointers_named", {}, {}}, Case{"right", {}, {}}, Case{"scratch", {}, {}},
        Case{"sent_only", {"14 results_lost hazard"}, {}},
        Case{"sum_from", {"11 never_sent wrong_values"}, {}},
        Case{"timer", {"11 unset_copied_back wrong_values"}, {"11 unset_copied_back wrong_values"}},
        Case{"shared", {}, {}},
        Case{"two_halves", {"17 two_devices hazard"}, {"17 two_devices hazard"}},
        Case{"unordered", {"17 unordered hazard"}, {"17 unordered hazard"}},
        Case{"wrong_way", {"14 results_overwritten hazard"}, {}}),
    [](const auto& test) { return std::string(test.param.program); });

}  // namespace
}  // namespace ompdm::e2e::clauses_test
