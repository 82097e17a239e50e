// `ompdm fix --build` on programs of its own folder: patches that were built and run, messages on
// them, and refusals because of what a run did.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "offload_build.h"
#include "project.h"
#include "run.h"

namespace ompdm::e2e::fix_test {
namespace {

namespace fs = std::filesystem;

const fs::path kPrograms = OMPDM_E2E_FIX;
const fs::path kKernels = OMPDM_KERNELS;

// The naive version becomes what a person writes as the next one. It is timed as often as a user's
// program is.
TEST(Fix, MakesHeatsNaiveRungTheOneThatKeepsItsData) {
  const Project project(kKernels / "heat.cpp", {kKernels / "arguments.h"});
  ASSERT_TRUE(project.record({"--variant", "naive", "400", "10"}));
  const std::string before = project.text("heat.cpp");
  const Ended ended = project.fix(
      {"--build", project.build_of("make -B"), "--ignore", "solve time", "-o", "fix.patch"});
  ASSERT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_TRUE(contains(ended.out, "  verified\n")) << ended.out;
  EXPECT_TRUE(contains(ended.out, "(4 instead of 40 transfers)")) << ended.out;
  EXPECT_FALSE(contains(ended.out, "not compared")) << ended.out;
  EXPECT_EQ(project.text("heat.cpp"), before) << "without --apply the user's tree does not change";
  EXPECT_TRUE(project.left_nothing());
  const std::string patched = project.patched("fix.patch", "heat.cpp");
  EXPECT_TRUE(contains(patched, "map(from: u[0:n * n], u_tmp[0:n * n])\n  return u;\n")) << patched;
}

// Two copies there, and one back.
TEST(FixSlow, LeavesOnTheDeviceWhatHeatDoesNotRead) {
  const Project project(kKernels / "heat.cpp", {kKernels / "arguments.h"});
  ASSERT_TRUE(project.record({"--variant", "naive", "400", "10"}));
  const Ended ended =
      project.fix({"--build", "make", "--timed-runs", "0", "--release", "--ignore", "solve time"});
  ASSERT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_TRUE(contains(ended.out, "(3 instead of 40 transfers)")) << ended.out;
  EXPECT_TRUE(contains(ended.out, "map(from: u[0:n * n]) map(release: u_tmp[0:n * n])\n"))
      << "data that the program does not read is not copied back";
}

// After so many steps its pointers have changed places.
TEST(FixSlow, LeavesByItsNameAfterTheLoopWhatNoOneReads) {
  const Project project(kKernels / "heat.cpp", {kKernels / "arguments.h"});
  ASSERT_TRUE(project.record({"--variant", "naive", "400", "11"}));
  const Ended ended = project.fix_built({"--release", "--ignore", "solve time"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_TRUE(contains(ended.out, "map(from: u[0:n * n]) map(release: u_tmp[0:n * n])\n"))
      << ended.out;
}

TEST(FixSlow, MakesJacobisNaiveRungTheOneThatKeepsItsData) {
  const Project project(kKernels / "jacobi.cpp", {kKernels / "arguments.h"});
  ASSERT_TRUE(project.record({"--variant", "naive", "64"}));
  const Ended ended =
      project.fix({"--build", "auto", "--timed-runs", "0", "--release", "--ignore", "solve time"});
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
TEST(FixSlow, BringsBackWhatItIsNotToldToLeave) {
  const Project project(kPrograms / "to_file.c");
  ASSERT_TRUE(project.record());
  const Ended ended = project.fix_built({"--release", "--apply"});
  ASSERT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_TRUE(contains(project.text("to_file.c"), "exit data map(from: u[0:n], w[0:n])\n"))
      << project.text("to_file.c");
}

// The source shows that the host does not read what is copied back.
TEST(Fix, LeavesOutUnreadCopiesWhereItIsTold) {
  Project project(kPrograms / "unread_end.c");
  project.set("OMPDM_SOURCE", "auto");
  ASSERT_TRUE(project.record());
  const Ended kept = project.fix_built();
  EXPECT_EQ(kept.status, 4) << kept.out << kept.err;
  EXPECT_TRUE(contains(kept.out, ": --release accepts that\n")) << kept.out;
  const Ended ended = project.fix_built({"--release", "--apply"});
  ASSERT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_TRUE(contains(ended.out, "# No longer copied back: u.")) << ended.out;
  EXPECT_TRUE(contains(project.text("unread_end.c"), "map(from: sums[0 : n]) map(release: u["))
      << project.text("unread_end.c");
}

TEST(Fix, TellsWhatDiffersOfAProgramThatDiffersFromItself) {
  const Project project(kPrograms / "copied_back.c");
  ASSERT_TRUE(project.record());
  const Ended ended = project.fix(
      {"--build", project.build_of(), "--run", "./copied_back; echo solve time: $(date +%N)"});
  EXPECT_EQ(ended.status, 1);
  EXPECT_TRUE(contains(ended.err, "the original differs from itself: it prints 'solve time: "))
      << ended.err;
  EXPECT_TRUE(contains(ended.err, "--ignore REGEX")) << ended.err;
  EXPECT_TRUE(project.left_nothing());
}

// An output that is right and a file that is not: what a run writes is compared, too.
TEST(Fix, ComparesWhatARunWrites) {
  const Project project(kPrograms / "to_file.c");
  ASSERT_TRUE(project.record());
  // The changed program writes one byte more.
  const std::string build = project.build_of(
      "printf '#!/bin/sh\\nkept/to_file; echo >>w.dat\\n' >to_file && chmod +x to_file");
  const Ended ended = project.fix({"--build", build});
  EXPECT_EQ(ended.status, 4) << ended.out << ended.err;
  EXPECT_TRUE(contains(ended.out, "it writes another w.dat")) << ended.out;
}

// With blanks in its paths, out of any version control, readable only.
TEST(FixSlow, OfACMakeProjectWhoseLoopIsInAHeader) {
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
    const Ended ended = run({{OMPDM_COMMAND, "fix", "../trace.json", "--build", command,
                              "--timed-runs", "0", "-o", "../fix.patch"},
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

/// The lines of a patch that change files, without what it says of itself.
std::string edits_of(const std::string& patch) {
  return patch.substr(std::min(patch.find("--- "), patch.size()));
}

Project project_of(const std::string& name) {
  if (name == "main") {
    const fs::path files = kPrograms / "files";
    return Project(files / "main.c", {files / "solver.c", files / "solver.h"});
  }
  if (name == "templates") {
    return Project(fs::path(offload_build().folder) / "fix/dos/templates.cpp");
  }
  return Project(kPrograms / (name + ".c"));
}

class PlansSlow : public ::testing::TestWithParam<std::string> {};

// With one input more than the one that is recorded.
TEST_P(PlansSlow, HoldWhereTheyAreBuiltAndRun) {
  const std::string& name = GetParam();
  Project project = project_of(name);
  // Its source alone tells that there is something to write.
  if (name == "updated") project.set("OMPDM_SOURCE", "auto");
  ASSERT_TRUE(project.record());
  const std::vector<std::string> other = {"./" + name, "another"};
  const std::string expected = project.start(other).out;
  ASSERT_EQ(project.fix({"-o", "plan.patch"}).status, 0);
  const Ended ended = project.fix_built({"--apply", "--only-proven", "-o", "built.patch"});
  ASSERT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_TRUE(contains(ended.out, "; the time of the run was not compared.\n")) << ended.out;
  EXPECT_EQ(edits_of(project.text("built.patch")), edits_of(project.text("plan.patch")));
  ASSERT_TRUE(project.make());
  EXPECT_EQ(project.start(other).out, expected);
}

INSTANTIATE_TEST_SUITE_P(, PlansSlow,
                         ::testing::Values("calls", "casts", "chain", "copied_back", "functions",
                                           "global", "host_reads", "later", "main",
                                           "named_in_functions", "nested", "no_memory", "on_host",
                                           "one_thread", "reads", "rows", "spelled", "split",
                                           "templates", "unnamed", "untaken", "updated", "without"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace ompdm::e2e::fix_test
