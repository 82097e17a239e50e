// What `ompdm fix` plans, and the statements for which it refuses: nothing is compiled here.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "offload_build.h"
#include "project.h"
#include "run.h"

namespace ompdm::e2e::fix_plan_test {
namespace {

namespace fs = std::filesystem;

const fs::path kPrograms = OMPDM_E2E_FIX;
const fs::path kKernels = OMPDM_KERNELS;

TEST(FixPlan, WritesAnUpdateWhereTheHostReads) {
  const Project project(kPrograms / "host_reads.c");
  ASSERT_TRUE(project.record());
  const std::string text = project.planned("host_reads.c");
  EXPECT_TRUE(contains(text,
                       "      double sum = 0;\n"
                       "#pragma omp target update from(u[0:n])\n"
                       "      for (int i = 0; i < n; ++i) {\n        sum += u[i];\n"))
      << text;
}

TEST(FixPlan, WritesAnUpdateWhereTheHostWrites) {
  const Project project(kPrograms / "nested.c");
  ASSERT_TRUE(project.record());
  const std::string text = project.planned("nested.c");
  EXPECT_TRUE(contains(text, "force[i] = run;\n    }\n#pragma omp target update to(force[0:n])\n"))
      << text;
  EXPECT_TRUE(contains(text, "#pragma omp target update from(u[7:1])\n    sum += u[7];\n")) << text;
}

// With the line ends of another system.
TEST(FixPlan, FollowsTheSourcesOwnLook) {
  const Project project(fs::path(offload_build().folder) / "fix/dos/templates.cpp");
  ASSERT_TRUE(project.record());
  const std::string text = project.planned("templates.cpp");
  EXPECT_TRUE(contains(text, "\r\n\t#pragma omp target enter data ")) << text;
  EXPECT_TRUE(contains(text, "\r\n\t}\r\n\t#pragma omp target exit data ")) << text;
  for (const std::string& line : lines_of(text)) EXPECT_TRUE(line.ends_with('\r')) << line;
}

TEST(FixPlan, ChangesClausesInPlace) {
  const Project project(kPrograms / "copied_back.c");
  ASSERT_TRUE(project.record());
  const std::string text = project.planned("copied_back.c");
  EXPECT_TRUE(contains(text, "for map(c[0 : n]) map(to: a[0 : n], b[0 : n])  // all of it\n"))
      << text;
}

TEST(FixPlan, SaysThatNothingWasBuilt) {
  const Project project(kPrograms / "copied_back.c");
  ASSERT_TRUE(project.record());
  const Ended ended = project.fix();
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_TRUE(ended.out.starts_with("# Not verified: nothing was built or run")) << ended.out;
  EXPECT_EQ(text_of(kPrograms / "copied_back.c"), project.text("copied_back.c"));
}

TEST(FixPlan, LeavesGoodRungsAsTheyAre) {
  struct Rungs {
    std::string program;
    std::vector<std::string> names;
    std::vector<std::string> sizes;
  };
  const std::vector<Rungs> all = {{"heat", {"data", "collapse", "optimized"}, {"400", "10"}},
                                  {"jacobi", {"data", "branchless", "coalesced"}, {"64"}},
                                  {"vadd", {"mapped"}, {"10000"}},
                                  {"pi", {"combined", "loop"}, {"100000"}}};
  for (const Rungs& one : all) {
    const Project project(kKernels / (one.program + ".cpp"), {kKernels / "arguments.h"});
    for (const std::string& name : one.names) {
      SCOPED_TRACE(one.program + ' ' + name);
      std::vector<std::string> arguments = {"--variant", name};
      arguments.insert(arguments.end(), one.sizes.begin(), one.sizes.end());
      ASSERT_TRUE(project.record(arguments));
      const Ended ended = project.fix();
      EXPECT_EQ(ended.status, 4) << ended.out << ended.err;
      EXPECT_FALSE(contains(ended.out, "+++")) << ended.out;
    }
  }
}

// Of a number any value will do; what else a -D may stand for it does not guess.
TEST(FixPlan, DoesWithoutNumbersThatNothingTells) {
  const Project project(kPrograms / "flags" / "flags.c");
  fs::remove(project.folder() / "compile_commands.json");
  fs::copy(kPrograms / "flags" / "include", project.folder() / "include");
  ASSERT_TRUE(project.record());
  const std::string text = project.planned("flags.c");
  EXPECT_TRUE(contains(text, "#pragma omp target enter data map(to: u[0:n])\n")) << text;
}

// Its header defines a macro only, and the directive stands in an #ifdef.
TEST(FixPlan, ReadsOptionsFromTheDebugInformation) {
  const Project project(kPrograms / "folders" / "folders.c");
  fs::remove(project.folder() / "compile_commands.json");
  fs::copy(kPrograms / "folders" / "include", project.folder() / "include");
  ASSERT_TRUE(project.record());
  const std::string text = project.planned("folders.c");
  EXPECT_TRUE(contains(text, "#pragma omp target enter data map(to: u[0:n])\n")) << text;
}

TEST(FixPlan, EditsNoFortran) {
  const Project project(kPrograms / "copied_back.c");
  ASSERT_TRUE(project.record());
  ASSERT_EQ(
      project.start({"sed", "-i", "s/copied_back[.]c/copied_back.f90/g", "trace.json"}).status, 0);
  fs::rename(project.folder() / "copied_back.c", project.folder() / "copied_back.f90");
  const Ended ended = project.fix();
  EXPECT_EQ(ended.status, 4) << ended.out << ended.err;
  EXPECT_TRUE(contains(ended.out, "its source is Fortran")) << ended.out << ended.err;
}

TEST(FixPlan, NeedsLines) {
  const Project project(kPrograms / "copied_back.c");
  project.take("lineless");
  ASSERT_TRUE(project.record());
  const Ended ended = project.fix();
  EXPECT_EQ(ended.status, 4) << ended.out << ended.err;
  EXPECT_TRUE(contains(ended.out, "compile with -g, and record again: ompdm record ./copied_back"))
      << ended.out;
}

TEST(FixPlan, TakesASourceWithOtherContentsForNone) {
  const Project project(kPrograms / "copied_back.c");
  ASSERT_TRUE(project.record());
  const std::string text = project.text("copied_back.c");
  // Written again with the same contents, as git and cp do.
  std::ofstream(project.folder() / "copied_back.c") << text;
  EXPECT_EQ(project.fix().status, 0);
  std::ofstream(project.folder() / "copied_back.c") << text << '\n';
  const Ended ended = project.fix();
  EXPECT_EQ(ended.status, 4) << ended.out << ended.err;
  EXPECT_TRUE(contains(ended.out,
                       "finding 1 at copied_back.c:11: not made: copied_back.c was written after "
                       "the program was built: build it, and record it again: ompdm record "
                       "./copied_back"))
      << ended.out;
}

int line_of(const std::string& text, const std::string& mark) {
  int line = 1;
  for (const std::string& each : lines_of(text)) {
    if (contains(each, mark)) return line;
    ++line;
  }
  return 0;
}

class Refused : public ::testing::TestWithParam<std::string> {};

// The statement that is in the way is named.
TEST_P(Refused, WithTheStatementInTheWay) {
  const std::string& name = GetParam();
  const std::string file = name + (fs::exists(kPrograms / (name + ".c")) ? ".c" : ".cpp");
  const Project project(kPrograms / file);
  ASSERT_TRUE(project.record());
  const Ended ended = project.fix();
  EXPECT_EQ(ended.status, 4) << ended.out << ended.err;
  const std::string place =
      file + ":" + std::to_string(line_of(project.text(file), "// @here")) + ": ";
  EXPECT_TRUE(contains(ended.out, "not made: " + place)) << ended.out;
}

INSTANTIATE_TEST_SUITE_P(, Refused,
                         ::testing::Values("returns", "unseen", "macro", "alias", "aggregate",
                                           "two_loops", "elsewhere", "parts", "cleanup",
                                           "member_ends", "kept", "team", "data_alone"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace ompdm::e2e::fix_plan_test
