#include "ompdm/comparison.h"

#include <gtest/gtest.h>

#include <string>

namespace ompdm::analysis::comparison_test {
namespace {

DirectiveRow directive(Directive what, const std::string& file, int line,
                       const std::string& function = "main") {
  DirectiveRow row;
  row.directive = what;
  row.file = file;
  row.line = line;
  row.function = function;
  return row;
}

VariableRow variable(const std::string& name, const std::string& file, int line) {
  VariableRow row;
  row.name = name;
  row.file = file;
  row.line = line;
  return row;
}

Finding finding(const std::string& pattern, const std::string& variable, int line) {
  Finding row;
  row.pattern = pattern;
  row.variable = variable;
  row.file = "a.cpp";
  row.line = line;
  return row;
}

LoopRow loop(std::vector<std::size_t> directives) {
  LoopRow row;
  row.directives = std::move(directives);
  return row;
}

using Pairs = std::vector<RowChain>;

/// Two versions: BEFORE and AFTER.
Comparison compared(const Analysis& before, const Analysis& after) {
  const std::vector<Analysis> both = {before, after};
  return compare(both);
}

TEST(Comparison, OfNothingIsEmpty) {
  const Comparison comparison = compared({}, {});
  EXPECT_TRUE(comparison.directives.empty());
  EXPECT_TRUE(comparison.findings.empty());
}

TEST(Comparison, FindsDirectivesThatMovedByTheirOrder) {
  Analysis before;
  before.directives = {directive(Directive::kTarget, "a.cpp", 46),
                       directive(Directive::kTarget, "a.cpp", 41),
                       directive(Directive::kTargetUpdate, "a.cpp", 50)};
  Analysis after;  // five lines were inserted above: line 46 is another directive now
  after.directives = {directive(Directive::kTarget, "a.cpp", 46),
                      directive(Directive::kTargetUpdate, "a.cpp", 55),
                      directive(Directive::kTarget, "a.cpp", 51)};
  EXPECT_EQ(compared(before, after).directives, (Pairs{{0, 2}, {1, 0}, {2, 1}}));
}

TEST(Comparison, LeavesAloneWhatIsOnOneSideOnly) {
  Analysis before;
  before.directives = {directive(Directive::kTarget, "a.cpp", 41),
                       directive(Directive::kTarget, "a.cpp", 46)};
  Analysis after;
  after.directives = {directive(Directive::kTargetEnterData, "a.cpp", 30),
                      directive(Directive::kTarget, "a.cpp", 46)};
  EXPECT_EQ(compared(before, after).directives, (Pairs{{0, kNoRow}, {1, 1}, {kNoRow, 0}}));
}

TEST(Comparison, KnowsFilesInOtherFoldersAndOfOtherNames) {
  Analysis before;
  before.directives = {directive(Directive::kTarget, "/v1/a.cpp", 41),
                       directive(Directive::kTargetUpdate, "naive.cpp", 9, "step")};
  Analysis after;
  after.directives = {directive(Directive::kTargetUpdate, "better.cpp", 19, "step"),
                      directive(Directive::kTarget, "/v2/a.cpp", 44)};
  EXPECT_EQ(compared(before, after).directives, (Pairs{{0, 1}, {1, 0}}));
}

TEST(Comparison, TakesTheOnlyDirectiveOfASortForARenamedOne) {
  Analysis before;
  before.directives = {directive(Directive::kTarget, "heat.cpp", 56, "naive")};
  Analysis after;
  after.directives = {directive(Directive::kTargetEnterData, "heat.cpp", 100, "optimized"),
                      directive(Directive::kTarget, "heat.cpp", 102, "optimized")};
  EXPECT_EQ(compared(before, after).directives, (Pairs{{0, 1}, {kNoRow, 0}}));
  after.directives.push_back(directive(Directive::kTarget, "heat.cpp", 130, "other"));
  EXPECT_EQ(compared(before, after).directives.front(), (RowChain{0, kNoRow}));
}

TEST(Comparison, PairsVariablesByNameNeverByAddress) {
  Analysis before;
  before.variables = {variable("u", "a.cpp", 5), variable("", "", 0), variable("v", "a.cpp", 6)};
  Analysis after;
  after.variables = {variable("v", "b.cpp", 6), variable("", "", 0), variable("u", "a.cpp", 9)};
  EXPECT_EQ(compared(before, after).variables, (Pairs{{0, 2}, {1, kNoRow}, {2, 0}, {kNoRow, 1}}));
}

TEST(Comparison, PairsLoopsByTheDirectivesTheyShare) {
  Analysis before;
  before.directives = {directive(Directive::kTarget, "a.cpp", 10, "f"),
                       directive(Directive::kTarget, "a.cpp", 20, "g")};
  before.loops = {loop({0}), loop({0, 1})};
  Analysis after;
  after.directives = {directive(Directive::kTarget, "a.cpp", 30, "g"),
                      directive(Directive::kTarget, "a.cpp", 12, "f"),
                      directive(Directive::kTargetUpdate, "a.cpp", 14, "f")};
  after.loops = {loop({2}), loop({1, 0}), loop({1})};
  EXPECT_EQ(compared(before, after).loops, (Pairs{{0, 2}, {1, 1}, {kNoRow, 0}}));
}

TEST(Comparison, TellsWhichFindingsWentStayedAndCame) {
  Analysis before;
  before.findings = {finding("round_trip_transfer", "u", 41), finding("unused_transfer", "v", 41)};
  Analysis after;
  after.findings = {finding("unused_transfer", "v", 48), finding("device_leak", "u", 60)};
  EXPECT_EQ(compared(before, after).findings, (Pairs{{0, kNoRow}, {1, 0}, {kNoRow, 1}}));
}

// Each of three functions wastes the same on a variable of the same name; two are mended.
TEST(Comparison, PairsAFindingWithThatOfItsOwnFunction) {
  Analysis before;
  Analysis after;
  for (const char* function : {"first", "second", "third"}) {
    const int line = 10 * static_cast<int>(before.findings.size() + 1);
    before.directives.push_back(directive(Directive::kTarget, "a.cpp", line, function));
    before.findings.push_back(finding("round_trip_transfer", "u", line));
    before.findings.back().directives = {before.directives.size() - 1};
  }
  after.directives = {directive(Directive::kTarget, "a.cpp", 36, "third")};
  after.findings = {finding("round_trip_transfer", "u", 36)};
  after.findings.front().directives = {0};
  EXPECT_EQ(compared(before, after).findings, (Pairs{{0, kNoRow}, {1, kNoRow}, {2, 0}}));
}

}  // namespace
}  // namespace ompdm::analysis::comparison_test
