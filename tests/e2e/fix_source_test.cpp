// What is in a source decides: the runs that are recorded do not reach all of it. What is planned
// is told here; fix_test.cpp builds and runs the same programs.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "project.h"
#include "run.h"

namespace ompdm::e2e::fix_source_test {
namespace {

namespace fs = std::filesystem;

const fs::path kPrograms = OMPDM_E2E_FIX;

/// The source as it is planned to be.
void expect_planned(const Project& project, const std::string& name,
                    const std::vector<std::string>& parts) {
  ASSERT_TRUE(project.record());
  const std::string text = project.planned(name + ".c");
  for (const std::string& part : parts) EXPECT_TRUE(contains(text, part)) << part << '\n' << text;
}

void expect_planned(const std::string& name, const std::vector<std::string>& parts) {
  expect_planned(Project(kPrograms / (name + ".c")), name, parts);
}

// The report gives no edits there: what the run did not reach may need what they take away.
/// All that a report and its page say of a trace.
std::string told(const Project& project, const std::string& trace) {
  const Ended report = project.start({OMPDM_COMMAND, "report", "--all", trace});
  const Ended page =
      project.start({OMPDM_COMMAND, "report", trace, "--format", "html", "-o", "page.html"});
  EXPECT_EQ(report.status + page.status, 0) << report.err << page.err;
  return report.out + project.text("page.html");
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

// Whoever edits a trace may name any file of its reader's.
TEST(SourceOfATrace, IsQuotedOnlyWhereItIsWhatWasCompiled) {
  const Project project(kPrograms / "copied_back.c");
  ASSERT_TRUE(project.record());
  const auto edit = [&](const std::string& from, const std::string& to) {
    std::ofstream(project.folder() / "edited.json")
        << replaced(project.text("trace.json"), from, to);
  };
  const Ended sum = project.start({"md5sum", "copied_back.c"});
  EXPECT_TRUE(contains(project.text("trace.json"),
                       R"({"file":"copied_back.c","md5":")" + sum.out.substr(0, 32) + "\"}"));
  EXPECT_TRUE(contains(told(project, "trace.json"), "free(a)"));
  // The same of what was compiled without digests, as with -gdwarf-4.
  edit("\"sources\":[", "\"unknown\":[");
  EXPECT_TRUE(contains(told(project, "edited.json"), "free(a)"));
  const fs::path secret = project.folder() / "secret";
  for (int line = 1; line < 40; ++line) {
    std::ofstream(secret, std::ios::app) << "root:hunter" << line << '\n';
  }
  ASSERT_EQ(project.start({"touch", "-d", "2000-01-01", "secret"}).status, 0);
  for (const std::string& file : {std::string("secret"), secret.string()}) {
    edit("copied_back.c", file);
    EXPECT_FALSE(contains(told(project, "edited.json"), "hunter")) << file;
    const Ended ended = project.start({OMPDM_COMMAND, "fix", "edited.json"});
    EXPECT_EQ(ended.status, 4) << ended.err;
    EXPECT_FALSE(contains(ended.out + ended.err, "hunter")) << ended.out << ended.err;
    std::ofstream(project.folder() / "edited.json")
        << replaced(replaced(project.text("trace.json"), "copied_back.c", file), "\"sources\":[",
                    "\"unknown\":[");
    EXPECT_FALSE(contains(told(project, "edited.json"), "hunter")) << file;
  }
}

TEST(FixSource, SeesInTheSourceWhatTheRunDidNotReach) {
  expect_planned(
      "untaken",
      {"#pragma omp target update from(u[0:n])\n      for (int i = 0; i < n; ++i) sum += u[i];\n"
       "      u[0] = sum;\n"
       "#pragma omp target update to(u[0:n])\n"
       "#pragma omp target teams distribute parallel for map(tofrom : u[0 : n])\n"
       "      for (int i = 0; i < n; ++i) u[i] *= 2;\n"});
}

TEST(FixSource, FollowsTheLoopIntoTheFunctionsThatItCalls) {
  expect_planned(
      "functions",
      {"#pragma omp target enter data map(to: u[0:n])\n  for (int t = 0;",
       "    if (t % 5 == 0) {\n#pragma omp target update from(u[0:n])\n      sum += first(u);\n"
       "    }\n",
       "#pragma omp target update from(v[0 : size])\n  if (v[size - 1] > most) {",
       "#pragma omp target update to(v[0 : size])\n  }\n"});
}

TEST(FixSource, FollowsGlobalDataIntoFunctions) {
  expect_planned("global", {"#pragma omp target enter data map(to: u)\n  for (int t = 0;",
                            "#pragma omp target update from(u)\n    look();"});
}

TEST(FixSource, UpdatesOnceForSeveralStatementsIfNoneLeavesInBetween) {
  expect_planned("reads", {"u[i] + 1;\n#pragma omp target update from(u[0:n])\n    if (count > 1",
                           "    }\n    history[t] = u[n / 2];\n    last = u[1];\n    if (history",
                           "    if (t % 10 == 5) {\n      u[0] = last;\n"
                           "#pragma omp target update to(u[0:n])\n      if (count > 1 && t == 25)",
                           "      u[n - 1] = history[t];\n      u[n - 2] = history[t] + 1;\n"
                           "#pragma omp target update to(u[0:n])\n    }\n"});
}

TEST(FixSource, LeavesWhatStaysInAClauseMappedAsItWas) {
  expect_planned("split", {"map(tofrom: u[0 : n]) map(to: v[0 : n])\n"});
}

TEST(FixSource, SpellsAnExtentAsTheSourceDoes) {
  expect_planned("spelled", {"#pragma omp target enter data map(to: u[0 : nx * ny * PARTS], "
                             "v[0 : nx * ny * PARTS])\n  for (int t = 0;"});
}

TEST(FixSource, UpdatesWhereARegionMayStayOnTheHost) {
  expect_planned("on_host",
                 {"#pragma omp target update from(u[0 : n]) if(!(t % 6 != 5))\n"
                  "#pragma omp target teams",
                  "u[i] += 1;\n#pragma omp target update to(u[0 : n]) if(!(t % 6 != 5))\n"});
}

TEST(FixSource, WaitsForRegionsThatRunByThemselves) {
  expect_planned("later", {"#pragma omp taskwait\n#pragma omp target enter data map(to: u[0:n])\n",
                           "  }\n#pragma omp taskwait\n#pragma omp target exit data map(from"});
}

// As students write it: each kernel maps all that it uses.
TEST(FixSource, KeepsDataBetweenRegionsOneAfterTheOther) {
  expect_planned("chain", {" map(alloc: v[0:n])",
                           "#pragma omp target update from(v[0:n])\n  if (count > 1) {\n"
                           "    v[n / 2] = 7;\n#pragma omp target update to(v[0:n])\n  }\n",
                           "u[i] += v[i];\n#pragma omp target exit data map(from: "});
}

TEST(FixSource, OfRegionsThatNameNoneOfTheirData) {
  expect_planned("unnamed", {"#pragma omp target enter data map(to: u[0:n])\n  for (int t = 0;",
                             "  }\n#pragma omp target exit data map(from: u[0:n])\n"});
}

// Each parameter stands for several arrays.
TEST(FixSource, KeepsAllThatAFunctionIsCalledWith) {
  expect_planned("calls",
                 {"#pragma omp target enter data map(to: p[0:n], r[0:n], x[0:n])\n  for (int k",
                  "      p[k] = r[k];\n#pragma omp target update to(p[k:1])\n    }\n"});
}

TEST(FixSource, FindsGlobalDataThatOnlyFunctionsName) {
  expect_planned("named_in_functions", {"#pragma omp target enter data map(to: u, v)\n  for",
                                        "#pragma omp target update from(u)\n    boundary(t);\n"
                                        "#pragma omp target update to(u)\n"});
}

/// By a cast's type, and by what a local of the function is made of.
TEST(FixSource, WritesWhatAFunctionNamesInTheTermsOfItsCaller) {
  expect_planned(
      "casts",
      {"#pragma omp target enter data map(to: force[0:N * (sizeof(Grid) / sizeof(double))], "
       "phi[0:N * (sizeof(Grid) / sizeof(double))])\n  for",
       "#pragma omp target enter data map(to: part[0:rows * columns], sum[0:rows * columns])\n"});
}

TEST(FixSource, KeepsWhatCanStayWhereTheRestCannotAndSaysWhatIsLeft) {
  const Project project(kPrograms / "without.c");
  expect_planned(project, "without", {"#pragma omp target enter data map(to: u[0:n])\n  for"});
  const std::string patch = project.text("plan.patch");
  EXPECT_TRUE(contains(patch, ": without w[0:n]: without.c:")) << patch;
}

TEST(FixSource, TakesAPointerToAPartForTheData) {
  expect_planned("rows",
                 {"#pragma omp target enter data map(to: a[0:n * n], sums[0:n])\n  for",
                  "      middle[t] = 1;\n#pragma omp target update to(a[0:n * n])\n    }\n"});
}

TEST(FixSource, KeepsNothingThatMayHaveNoMemory) {
  expect_planned("no_memory", {"#pragma omp target enter data map(to: u[0:n])\n  for (int t"});
}

// Of three loops in a parallel region: data of a thread's own, one thread's, and what others read.
TEST(FixSource, OfThreads) {
  const Project project(kPrograms / "one_thread.c");
  expect_planned(project, "one_thread",
                 {"#pragma omp target enter data map(to: own[0:n])\n    for (int t",
                  "#pragma omp target enter data map(to: u[0:n])\n      for (int t"});
  EXPECT_FALSE(contains(project.text("one_thread.c"), "enter data map(to: v[0:n])"));
}

// Each file has a macro of the same name, which is its own.
TEST(FixSource, FollowsTheLoopIntoOtherFiles) {
  const fs::path folder = kPrograms / "files";
  const Project project(folder / "main.c", {folder / "solver.c", folder / "solver.h"});
  expect_planned(project, "main",
                 {"#pragma omp target enter data map(to: a[0:n], b[0:n])\n  for (int t",
                  "    if (t % 10 == 9) {\n#pragma omp target update from(a[0:n])\n      printf("});
}

}  // namespace
}  // namespace ompdm::e2e::fix_source_test
