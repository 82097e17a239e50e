// Sources with the edits of several plans: lines in one place, and what one plan changes of the
// other's.
#include "fix/changed_files.h"

#include <gtest/gtest.h>

namespace ompdm::cli::changed_files_test {
namespace {

constexpr const char* kEnter = "#pragma omp target enter data ";
constexpr const char* kWait = "#pragma omp taskwait\n";

std::string enter(const std::string& clauses) { return kEnter + clauses + '\n'; }

TEST(JoinedLines, MakeOneDirectiveOfTwo) {
  EXPECT_EQ(joined_lines(enter("map(to: u[0:n])"), enter("map(to: v[0:(n + 1) * 2])")),
            enter("map(to: u[0:n], v[0:(n + 1) * 2])"));
  EXPECT_EQ(joined_lines(enter("map(to: u[0:n])"), enter("map(alloc: v[0:n]) map(to: w)")),
            enter("map(to: u[0:n], w) map(alloc: v[0:n])"));
}

TEST(JoinedLines, HaveWhatWaitsOnce) {
  EXPECT_EQ(joined_lines(kWait + enter("map(to: u)"), kWait + enter("map(to: v)")),
            kWait + enter("map(to: u, v)"));
}

// An update of v has to come before v leaves, and a declaration before v enters.
TEST(JoinedLines, StayBehindWhatTheOtherHasBeforeThem) {
  const std::string exits = "#pragma omp target exit data map(from: u)\n";
  const std::string update = "#pragma omp target update to(v)\n";
  const std::string other = "#pragma omp target exit data map(from: v)\n";
  EXPECT_EQ(joined_lines(exits, update + other), exits + update + other);
  EXPECT_EQ(joined_lines(enter("map(to: u)"), "  auto *v = this->v;\n" + enter("map(to: v)")),
            enter("map(to: u)") + "  auto *v = this->v;\n" + enter("map(to: v)"));
}

// OpenMP 5.2, section 5.8.3: a list item is in one map clause of a directive.
TEST(JoinedLines, OfTheSameDataStayApart) {
  for (const char* other : {"map(alloc: u[0:m])", "map(alloc: w) map(to: u)"}) {
    EXPECT_EQ(joined_lines(enter("map(to: v, u[0:n])"), enter(other)),
              enter("map(to: v, u[0:n])") + enter(other));
  }
}

TEST(JoinedLines, OfOtherDevicesStayApart) {
  const std::string one = "#pragma omp target enter data device(1) map(to: u)\n";
  EXPECT_EQ(joined_lines(one, enter("map(to: v)")), one + enter("map(to: v)"));
}

TEST(JoinedLines, KeepBracesOfBoth) { EXPECT_EQ(joined_lines("  {\n", "  {\n"), "  {\n  {\n"); }

TEST(ChangedFiles, AreMadeOfTextsThatWereChangedBefore) {
  const EditPlan plan = {.number = 1, .replacements = {{"/nowhere/a.c", 2, 0, "x"}}};
  const ChangedFiles files = changed_files({plan}, {{"/nowhere/a.c", "abc"}, {"/b.c", "b"}});
  EXPECT_EQ(files, (ChangedFiles{{"/nowhere/a.c", "abxc"}, {"/b.c", "b"}}));
}

}  // namespace
}  // namespace ompdm::cli::changed_files_test
