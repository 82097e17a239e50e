// `ompdm fix` on a device whose copies take effect late: no verdict rests on what a copy on its way
// has not brought yet.
#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "project.h"

namespace ompdm::e2e::fix_standin_test {
namespace {

namespace fs = std::filesystem;

const fs::path kPrograms = OMPDM_E2E_FIX;

/// Kernels are what clang makes of them for the host, which is right without optimization only.
Compiling for_standin() {
  return {.c = OMPDM_STANDIN_C,
          .cxx = OMPDM_STANDIN_CXX " -std=c++20",
          .programs = OMPDM_STANDIN_PROGRAMS,
          .environment = {{"LD_LIBRARY_PATH", OMPDM_STANDIN_LIBRARIES},
                          {"OMP_TARGET_OFFLOAD", "MANDATORY"},
                          {"STANDIN_KERNELS", "host"},
                          {"STANDIN_COPY_US", "0"},
                          {"STANDIN_KERNEL_US", "0"}}};
}

TEST(FixOnStandinSlow, MakesHeatsNaiveRungTheOneThatKeepsItsData) {
  const fs::path kernels = OMPDM_KERNELS;
  Project project(kernels / "heat.cpp", {kernels / "arguments.h"}, for_standin());
  project.set("STANDIN_COPY_US", "1000");
  ASSERT_TRUE(project.make());
  ASSERT_TRUE(project.record({"--variant", "naive", "100", "10"}));
  const Ended ended = project.fix_built({"--release", "--ignore", "solve time"});
  ASSERT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_TRUE(contains(ended.out, "(3 instead of 40 transfers)")) << ended.out;
  EXPECT_TRUE(contains(ended.out,
                       "+#pragma omp target exit data map(from: u[0:n * n]) "
                       "map(release: u_tmp[0:n * n])\n"))
      << ended.out;
}

/// Microseconds that each copy takes: it is done when anyone asks, or long after it was asked for.
class FixWhereCopiesTakeSlow : public ::testing::TestWithParam<std::string> {
 protected:
  /// One of this folder's, with such copies.
  const Project& recorded(const std::string& file) {
    project_.emplace(kPrograms / file, std::vector<fs::path>(), for_standin());
    project_->set("STANDIN_COPY_US", GetParam());
    EXPECT_TRUE(project_->record());
    return *project_;
  }

 private:
  std::optional<Project> project_;
};

// Recorded with fast copies: of deferred directives whose work is done later less is told.
TEST_P(FixWhereCopiesTakeSlow, WaitsForStepsThatAreDeferred) {
  Project project(kPrograms / "deferred.c", {}, for_standin());
  ASSERT_TRUE(project.record());
  const std::string expected = project.start({"./deferred"}).out;
  project.set("STANDIN_COPY_US", GetParam());
  const Ended ended = project.fix_built({"--apply"});
  ASSERT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_TRUE(contains(ended.out, "  verified\n")) << ended.out;
  EXPECT_TRUE(contains(project.text("deferred.c"),
                       "  }\n#pragma omp taskwait\n#pragma omp target exit data map(from: "))
      << project.text("deferred.c");
  EXPECT_TRUE(contains(
      ended.out, "# Not compared: the last contents of next, u, whose copies had not arrived"))
      << ended.out;
  ASSERT_TRUE(project.make());
  EXPECT_EQ(project.start({"./deferred"}).out, expected);
}

// A copy back before the last one, which could not be compared, does not stand for the last.
TEST_P(FixWhereCopiesTakeSlow, TakesNoEarlierCopyForTheLast) {
  Project project(kPrograms / "mixed.c", {}, for_standin());
  ASSERT_TRUE(project.record());
  project.set("STANDIN_COPY_US", GetParam());
  const Ended ended = project.fix_built();
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_TRUE(
      contains(ended.out, "# Not compared: the last contents of u, whose copies had not arrived"))
      << ended.out;
}

/// Builds with `edit` made where `ompdm fix` has made its own.
std::string build_with(const std::string& edit) { return "sed -i '" + edit + "' *.c; make -B"; }

TEST_P(FixWhereCopiesTakeSlow, AcceptsTheSameContents) {
  const Project& project = recorded("unread.c");
  const Ended ended = project.fix_built({}, build_with("s/nothing/none/"));
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_TRUE(contains(ended.out, "  verified\n")) << ended.out;
}

class FixWhereCopiesTake : public FixWhereCopiesTakeSlow {};

TEST_P(FixWhereCopiesTake, MissesContentsThatDoNotComeBack) {
  const Project& project = recorded("unread.c");
  const Ended ended = project.fix_built({}, build_with("s/map(from: u/map(release: u/"));
  EXPECT_EQ(ended.status, 4) << ended.out << ended.err;
  EXPECT_TRUE(contains(ended.out, "the last contents of u are not copied back")) << ended.out;
}

// Host memory holds just that while the original's last copy is on its way.
TEST_P(FixWhereCopiesTakeSlow, MissesContentsOfTheLastIterationWhereThoseBeforeItComeBack) {
  const Project& project = recorded("unread.c");
  const Ended ended = project.fix_built(
      {}, build_with("s/map(from: u/map(release: u/; s/^#pragma omp target teams/if (t == "
                     "9) {\\n#pragma omp target update from(u[0:n])\\n}\\n&/"));
  EXPECT_EQ(ended.status, 4) << ended.out << ended.err;
  EXPECT_TRUE(contains(ended.out, "the last contents of u are not copied back")) << ended.out;
}

TEST_P(FixWhereCopiesTakeSlow, KeepsTheUpdatesThatTheHostNeeds) {
  const Project& project = recorded("host_reads.c");
  const Ended ended = project.fix_built();
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_TRUE(contains(ended.out, "+#pragma omp target update from(u[0:n])\n")) << ended.out;
}

TEST_P(FixWhereCopiesTakeSlow, RefusesWhereAnUpdateIsMissing) {
  const Project& project = recorded("host_reads.c");
  const Ended ended = project.fix_built({}, build_with("/update from/d"));
  EXPECT_EQ(ended.status, 4) << ended.out << ended.err;
  EXPECT_TRUE(contains(ended.out, "refused: it prints '")) << ended.out;
}

std::string name_of(const ::testing::TestParamInfo<std::string>& test) { return test.param + "us"; }

INSTANTIATE_TEST_SUITE_P(, FixWhereCopiesTake, ::testing::Values("0", "2000"), name_of);
INSTANTIATE_TEST_SUITE_P(, FixWhereCopiesTakeSlow, ::testing::Values("0", "2000"), name_of);

}  // namespace
}  // namespace ompdm::e2e::fix_standin_test
