// `ompdm fix` on programs of its own folder: the patch, what was proven of it, and what it refuses.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "offload_build.h"
#include "project.h"
#include "run.h"

namespace ompdm::e2e {
namespace {

namespace fs = std::filesystem;

int line_of(const std::string& text, const std::string& mark) {
  int line = 1;
  for (const std::string& each : lines_of(text)) {
    if (contains(each, mark)) return line;
    ++line;
  }
  return 0;
}

std::string name_of(const ::testing::TestParamInfo<std::string>& test) { return test.param; }

const fs::path kPrograms = OMPDM_E2E_FIX;

// The naive rung becomes what a person writes as the next one: two copies there, one back.
TEST(Fix, MakesHeatsNaiveRungTheOneThatKeepsItsData) {
  const fs::path kernels = OMPDM_KERNELS;
  const Project project(kernels / "heat.cpp", {kernels / "arguments.h"});
  ASSERT_TRUE(project.record({"--variant", "naive", "400", "10"}));
  const std::string before = project.text("heat.cpp");
  const Ended ended =
      project.fix({"--build", "make", "--release", "--ignore", "solve time", "-o", "fix.patch"});
  ASSERT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_TRUE(contains(ended.out, "  verified\n")) << ended.out;
  EXPECT_TRUE(contains(ended.out, "(3 instead of 40 transfers)")) << ended.out;
  EXPECT_EQ(project.text("heat.cpp"), before) << "without --apply the user's tree is not touched";
  EXPECT_TRUE(project.left_nothing());
  const std::string patched = project.patched("fix.patch", "heat.cpp");
  EXPECT_TRUE(
      contains(patched, "map(from: u[0:n * n]) map(release: u_tmp[0:n * n])\n  return u;\n"))
      << "what the program does not read is not brought back";
}

// After so many steps its pointers have changed places.
TEST(Fix, LeavesByItsNameAfterTheLoopWhatNoOneReads) {
  const fs::path kernels = OMPDM_KERNELS;
  const Project project(kernels / "heat.cpp", {kernels / "arguments.h"});
  ASSERT_TRUE(project.record({"--variant", "naive", "400", "11"}));
  const Ended ended = project.fix({"--build", "make", "--release", "--ignore", "solve time"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_TRUE(contains(ended.out, "map(from: u[0:n * n]) map(release: u_tmp[0:n * n])\n"))
      << ended.out;
}

TEST(Fix, MakesJacobisNaiveRungTheOneThatKeepsItsData) {
  const fs::path kernels = OMPDM_KERNELS;
  const Project project(kernels / "jacobi.cpp", {kernels / "arguments.h"});
  ASSERT_TRUE(project.record({"--variant", "naive", "64"}));
  const Ended ended = project.fix({"--build", "auto", "--release", "--ignore", "solve time"});
  ASSERT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_TRUE(contains(ended.out, "# Verified by ompdm on these inputs")) << ended.out;
  EXPECT_TRUE(contains(ended.out,
                       "+#pragma omp target enter data map(to: a[0:n * n], b[0:n], "
                       "x_new[0:n], x_old[0:n])\n"))
      << ended.out;
  EXPECT_TRUE(contains(ended.out,
                       "+#pragma omp target exit data map(from: x_old[0:n]) "
                       "map(release: a[0:n * n], b[0:n], x_new[0:n])\n"))
      << ended.out;
}

// What a file gets no output shows.
TEST(Fix, BringsBackWhatItIsNotToldToLeave) {
  const Project project(kPrograms / "to_file.c");
  ASSERT_TRUE(project.record());
  const Ended ended = project.fix({"--build", "make", "--release", "--apply"});
  ASSERT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_TRUE(contains(project.text("to_file.c"), "exit data map(from: u[0:n], w[0:n])\n"))
      << project.text("to_file.c");
}

TEST(Fix, LeavesGoodRungsAsTheyAre) {
  const fs::path kernels = OMPDM_KERNELS;
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
    const Project project(kernels / (one.program + ".cpp"), {kernels / "arguments.h"});
    for (const std::string& name : one.names) {
      SCOPED_TRACE(one.program + ' ' + name);
      std::vector<std::string> arguments = {"--variant", name};
      arguments.insert(arguments.end(), one.sizes.begin(), one.sizes.end());
      ASSERT_TRUE(project.record(arguments));
      const Ended ended = project.fix({"--build", "make", "--ignore", "solve time"});
      EXPECT_EQ(ended.status, 4) << ended.out << ended.err;
      EXPECT_FALSE(contains(ended.out, "+++")) << ended.out;
    }
  }
}

TEST(Fix, TellsWhatDiffersOfAProgramThatDiffersFromItself) {
  const fs::path kernels = OMPDM_KERNELS;
  const Project project(kernels / "heat.cpp", {kernels / "arguments.h"});
  ASSERT_TRUE(project.record({"--variant", "naive", "400", "10"}));
  const Ended ended = project.fix({"--build", "make"});
  EXPECT_EQ(ended.status, 1);
  EXPECT_TRUE(contains(ended.err, "the original differs from itself: it prints 'solve time: "))
      << ended.err;
  EXPECT_TRUE(contains(ended.err, "--ignore REGEX")) << ended.err;
  EXPECT_TRUE(project.left_nothing());
}

TEST(Fix, WritesAnUpdateWhereTheHostReads) {
  const Project project(kPrograms / "host_reads.c");
  ASSERT_TRUE(project.record());
  const Ended ended = project.fix({"--build", "make", "--apply"});
  ASSERT_EQ(ended.status, 0) << ended.out << ended.err;
  const std::string text = project.text("host_reads.c");
  EXPECT_TRUE(contains(text,
                       "      double sum = 0;\n"
                       "#pragma omp target update from(u[0:n])\n"
                       "      for (int i = 0; i < n; ++i) {\n        sum += u[i];\n"))
      << text;
}

TEST(Fix, WritesAnUpdateWhereTheHostWrites) {
  const Project project(kPrograms / "nested.c");
  ASSERT_TRUE(project.record());
  const Ended ended = project.fix({"--build", "make", "--apply"});
  ASSERT_EQ(ended.status, 0) << ended.out << ended.err;
  const std::string text = project.text("nested.c");
  EXPECT_TRUE(contains(text, "force[i] = run;\n    }\n#pragma omp target update to(force[0:n])\n"))
      << text;
  EXPECT_TRUE(contains(text, "#pragma omp target update from(u[0:n])\n    sum += u[7];\n")) << text;
}

TEST(Fix, FollowsTheSourcesOwnLook) {
  const Project project(kPrograms / "templates.cpp");
  // With the line ends of another system.
  std::string text = project.text("templates.cpp");
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 2) {
    text.replace(at, 1, "\r\n");
  }
  std::ofstream(project.folder() / "templates.cpp", std::ios::binary) << text;
  ASSERT_TRUE(project.record());
  const Ended ended = project.fix({"--build", "make", "--apply"});
  ASSERT_EQ(ended.status, 0) << ended.out << ended.err;
  const std::string now = project.text("templates.cpp");
  EXPECT_TRUE(contains(now, "\r\n\t#pragma omp target enter data ")) << now;
  EXPECT_TRUE(contains(now, "\r\n\t}\r\n\t#pragma omp target exit data ")) << now;
  EXPECT_EQ(std::ranges::count(now, '\n'), std::ranges::count(now, '\r'));
}

TEST(Fix, ChangesClausesInPlace) {
  const Project project(kPrograms / "copied_back.c");
  ASSERT_TRUE(project.record());
  const Ended ended = project.fix({"--build", "make", "--apply"});
  ASSERT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_TRUE(contains(project.text("copied_back.c"),
                       "for map(c[0 : n]) map(to: a[0 : n], b[0 : n])  // all of it\n"))
      << project.text("copied_back.c");
}

// With blanks in its paths, out of any version control, readable only.
TEST(Fix, OfACMakeProjectWhoseLoopIsInAHeader) {
  const Folder folder;
  const Folder scratch;
  const fs::path tree = folder.path() / "two words";
  fs::copy(kPrograms / "project", tree, fs::copy_options::recursive);
  const OffloadBuild& build = offload_build();
  std::string options = "-std=c++20;-Wl,-rpath," + build.runtime;
  for (const std::string& option : build.options) options += ';' + option;
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"cmake", "-S", ".", "-B", "build", "-DCMAKE_CXX_COMPILER=" + build.cxx,
            "-DOFFLOAD_OPTIONS=" + options},
           {"cmake", "--build", "build"},
           {OMPDM_COMMAND, "record", "-o", "../trace.json", "build/waves"}}) {
    const Ended ended = run({words, {}, std::chrono::seconds(120)}, tree);
    ASSERT_EQ(ended.status, 0) << ended.out << ended.err;
  }
  fs::remove(tree / "waves.out");
  const auto read_only = fs::perms::owner_write | fs::perms::group_write | fs::perms::others_write;
  fs::permissions(tree / "solver.h", read_only, fs::perm_options::remove);
  const std::string before = text_of(tree / "solver.h");
  for (const std::string& command : {std::string("cmake --build build"), std::string("auto")}) {
    const Ended ended =
        run({{OMPDM_COMMAND, "fix", "../trace.json", "--build", command, "-o", "../fix.patch"},
             {{"TMPDIR", scratch.path().string()}},
             std::chrono::seconds(240)},
            tree);
    ASSERT_EQ(ended.status, 0) << ended.out << ended.err;
    EXPECT_FALSE(fs::exists(tree / "waves.out")) << "runs are in the copy";
    EXPECT_TRUE(fs::is_empty(scratch.path()));
  }
  EXPECT_EQ(text_of(tree / "solver.h"), before);
  const std::string patch = text_of(folder.path() / "fix.patch");
  EXPECT_TRUE(contains(patch,
                       "+#pragma omp target enter data map(to: u[0:n])\n"
                       "   for (int t = 0; t < steps; ++t) {\n"))
      << patch;
}

// An output that is right and a file that is not: what a run writes is compared, too.
TEST(Fix, ComparesWhatARunWrites) {
  const Project project(kPrograms / "to_file.c");
  ASSERT_TRUE(project.record());
  // The changed program writes one byte more.
  const std::string build =
      "make && if grep -q 'enter data' to_file.c; then mv to_file real && printf "
      "'#!/bin/sh\\n./real; echo >>w.dat\\n' >to_file && chmod +x to_file; fi";
  const Ended ended = project.fix({"--build", build});
  EXPECT_EQ(ended.status, 4) << ended.out << ended.err;
  EXPECT_TRUE(contains(ended.out, "it writes another w.dat")) << ended.out;
}

class Refused : public ::testing::TestWithParam<std::string> {};

// The statement that is in the way is named.
TEST_P(Refused, WithTheStatementInTheWay) {
  const std::string& name = GetParam();
  const std::string file = name + (fs::exists(kPrograms / (name + ".c")) ? ".c" : ".cpp");
  const Project project(kPrograms / file, {}, "-DMORE");
  ASSERT_TRUE(project.record());
  const Ended ended = project.fix({"--build", "make"});
  EXPECT_EQ(ended.status, 4) << ended.out << ended.err;
  const std::string place =
      file + ":" + std::to_string(line_of(project.text(file), "// @here")) + ": ";
  EXPECT_TRUE(contains(ended.out, place)) << ended.out;
}

INSTANTIATE_TEST_SUITE_P(, Refused,
                         ::testing::Values("returns", "unseen", "macro", "alias", "aggregate",
                                           "two_loops", "elsewhere", "parts", "cleanup",
                                           "member_ends", "kept", "team", "data_alone"),
                         name_of);

}  // namespace
}  // namespace ompdm::e2e
