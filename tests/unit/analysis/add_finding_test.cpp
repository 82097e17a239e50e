// Findings of detectors that are not ompdm's own: where they come to stand, and which are refused.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "found.h"
#include "ompdm/analysis.h"
#include "ompdm/error.h"

namespace ompdm::analysis::add_finding_test {
namespace {

using test::patterns;

/// One row in every table.
Analysis tables() {
  Analysis analysis;
  analysis.directives.emplace_back();
  analysis.variables.emplace_back();
  analysis.loops.emplace_back();
  return analysis;
}

Finding finding(const std::string& pattern, Nanoseconds wasted = 0) {
  Finding made;
  made.pattern = pattern;
  made.file = "/src/a.cpp";
  made.variable = "u";
  made.wasted_time = wasted;
  return made;
}

std::string refusal(const Finding& refused) {
  Analysis analysis = tables();
  analysis.findings.push_back(finding("before"));
  try {
    add_finding(analysis, refused);
  } catch (const Error& error) {
    EXPECT_EQ(patterns(analysis), "before") << "it was added all the same";
    return error.what();
  }
  return "none";
}

TEST(AddFinding, StandsBeforeThoseThatWouldSaveLess) {
  Analysis analysis = tables();
  for (const auto& [pattern, wasted] :
       {std::pair("second", 20), std::pair("first", 30), std::pair("last", 0),
        std::pair("third_as_it_came_later", 20)}) {
    add_finding(analysis, finding(pattern, wasted));
  }
  EXPECT_EQ(patterns(analysis), "first second third_as_it_came_later last");
}

TEST(AddFinding, PatternsAreNamesInSnakeCase) {
  EXPECT_EQ(refusal(finding("oversized_transfer_2")), "none");
  for (const char* pattern :
       {"", "Oversized", "oversized transfer", "oversized-transfer", "größe"}) {
    EXPECT_EQ(refusal(finding(pattern)),
              "'" + std::string(pattern) +
                  "': no name of a pattern: use lower-case letters, digits and _");
  }
}

TEST(AddFinding, RowsAreThoseOfTheTables) {
  const std::vector<std::pair<std::vector<std::size_t> Finding::*, std::string>> tables = {
      {&Finding::directives, "directives"},
      {&Finding::variables, "variables"},
      {&Finding::loops, "iterations"}};
  for (const auto& [rows, table] : tables) {
    Finding one = finding("mine");
    one.*rows = {0};
    EXPECT_EQ(refusal(one), "none") << table;
    one.*rows = {0, 1};
    EXPECT_EQ(refusal(one),
              "mine: row 1 of " + table + " does not exist: take positions in the same analysis");
  }
}

TEST(AddFinding, AnIdIsTheSameInAnotherRunAndNobodyElses) {
  const auto ids = [](const Finding& added) {
    Analysis analysis = tables();
    for (int i = 0; i < 3; ++i) add_finding(analysis, added);
    std::vector<std::string> all;
    for (const Finding& one : analysis.findings) all.push_back(one.id);
    return all;
  };
  Finding elsewhere = finding("mine");
  elsewhere.file = "/build/of/another/machine/a.cpp";
  const std::vector<std::string> made = ids(finding("mine"));
  EXPECT_EQ(made, ids(elsewhere));
  EXPECT_NE(made[0], made[1]);
  EXPECT_NE(made[1], made[2]);
  EXPECT_NE(made[0], made[2]);
  EXPECT_NE(made, ids(finding("yours")));
  Finding named = finding("mine");
  named.id = "as-i-call-it";
  EXPECT_EQ(ids(named).front(), "as-i-call-it");
}

}  // namespace
}  // namespace ompdm::analysis::add_finding_test
