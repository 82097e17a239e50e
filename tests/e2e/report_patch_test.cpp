// The report shows what `ompdm fix` writes, and keeps it beside the trace.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "project.h"
#include "recorded.h"
#include "run.h"

namespace ompdm::e2e::report_patch_test {
namespace {

namespace fs = std::filesystem;

const fs::path kPrograms = OMPDM_E2E_FIX;

Json reported(const Project& project) {
  const Ended ended = project.start(
      {OMPDM_COMMAND, "report", "--source", "auto", "--format", "json", "trace.json"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  return Json::parse(ended.out);
}

/// A file with the hunks of a finding. Fails the test where a line is not the one that a hunk has.
std::string with_hunks(const std::string& text, const Json& finding) {
  std::vector<std::string> lines = lines_of(text);
  Json hunks = finding.at("patch").at("hunks");
  std::reverse(hunks.begin(), hunks.end());
  for (const Json& hunk : hunks) {
    auto at = lines.begin() + hunk.at("line").get<int>() - 1;
    for (const std::string line : hunk.at("lines")) {
      if (line[0] == '+') {
        at = std::next(lines.insert(at, line.substr(1)));
        continue;
      }
      EXPECT_EQ(*at, line.substr(1));
      at = line[0] == '-' ? lines.erase(at) : std::next(at);
    }
  }
  std::string all;
  for (const std::string& line : lines) all += line + '\n';
  return all;
}

class ReportPatch : public ::testing::TestWithParam<const char*> {};

TEST_P(ReportPatch, IsWhatFixWrites) {
  const std::string file = GetParam();
  Project project(kPrograms / file);
  project.set("OMPDM_SOURCE", "auto");
  ASSERT_TRUE(project.record());
  const std::string text = project.text(file);
  const fs::path path = project.folder() / file;
  const auto written = fs::last_write_time(path);
  const Json report = reported(project);
  std::size_t patches = 0;
  for (std::size_t i = 0; i < report.at("findings").size(); ++i) {
    const Json& finding = report.at("findings")[i];
    if (!finding.contains("patch") || finding.at("patch").at("hunks").empty()) continue;
    ++patches;
    const Ended fixed = project.fix({"--only", std::to_string(i + 1), "-o", "one.patch"});
    ASSERT_EQ(fixed.status, 0) << fixed.err;
    EXPECT_EQ(with_hunks(text, finding), project.patched("one.patch", file));
    std::ofstream(path) << text;
    fs::last_write_time(path, written);
  }
  EXPECT_GT(patches, 0U);
  // Kept: what is written is known where the source is not.
  fs::remove(path);
  const Json kept = reported(project);
  for (std::size_t i = 0; i < report.at("findings").size(); ++i) {
    EXPECT_EQ(kept.at("findings")[i].value("patch", Json()),
              report.at("findings")[i].value("patch", Json()));
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, ReportPatch,
                         ::testing::Values("host_reads.c", "nested.c", "copied_back.c",
                                           "functions.c", "updated.c", "lifetime.c"));

// A branch that uses the data speaks against leaving out one update, and not against all of them.
TEST(ReportPatch, LeavesUpdatesToTheHostsOwnUses) {
  Project project(kPrograms / "updated.c");
  project.set("OMPDM_SOURCE", "auto");
  ASSERT_TRUE(project.record());
  const Json report = reported(project);
  // The first send and the copy back behind the loop, too.
  ASSERT_EQ(report.at("findings").size(), 3U);
  const Json& finding = report.at("findings")[0];
  EXPECT_EQ(finding.at("pattern"), "per_iteration_update");
  EXPECT_EQ(finding.at("confidence"), "likely");
  const std::string hunks = finding.at("patch").at("hunks").dump();
  EXPECT_TRUE(contains(hunks, "-#pragma omp target update to(v[0 : m])"));
  EXPECT_TRUE(contains(hunks, "+#pragma omp target update to(u[5:1])"));
}

/// All hunks of a program's findings.
std::string hunks_of(const std::string& name) {
  Project project(kPrograms / (name + ".c"));
  project.set("OMPDM_SOURCE", "auto");
  EXPECT_TRUE(project.record());
  const Json report = reported(project);
  std::string all;
  for (const Json& finding : report.at("findings")) {
    if (finding.contains("patch")) all += finding.at("patch").at("hunks").dump();
  }
  return all;
}

TEST(ReportPatch, SendsWhatTheHostSetsOfDataThatKernelsOnlyRead) {
  const std::string hunks = hunks_of("sent_element");
  EXPECT_TRUE(contains(hunks, "-#pragma omp target update to(a[0:n])"));
  EXPECT_TRUE(contains(hunks, "+#pragma omp target update to(a[3:1])"));
}

TEST(ReportPatch, SparesNothingAroundRegionsOfWhichTheDeviceRunsOne) {
  EXPECT_FALSE(contains(hunks_of("either"), "enter data"));
}

TEST(ReportPatch, RestsOnWhatHoldsWithAnotherInputToo) {
  EXPECT_FALSE(contains(hunks_of("other_piece"), "-#pragma omp target update"));
  EXPECT_FALSE(contains(hunks_of("part_of_run"), "-#pragma omp target update"));
}

TEST(ReportPatch, KeepsDataWithinTheIterationThatMakesIt) {
  Project project(kPrograms / "lifetime.c");
  project.set("OMPDM_SOURCE", "auto");
  ASSERT_TRUE(project.record());
  const Json report = reported(project);
  ASSERT_FALSE(report.at("findings").empty());
  const Json& finding = report.at("findings")[0];
  EXPECT_EQ(finding.at("pattern"), "round_trip_transfer");
  EXPECT_EQ(finding.at("wasted_bytes"), 2 * 8 * 4000 * sizeof(double));
  EXPECT_TRUE(finding.at("unless").empty());
  const std::string patched = with_hunks(project.text("lifetime.c"), finding);
  EXPECT_TRUE(
      contains(patched, "u[i] = i % 97 + t;\n#pragma omp target enter data map(to: u[0:n])\n"));
  EXPECT_TRUE(contains(patched, "u[i] -= t;\n#pragma omp target exit data map(from: u[0:n])\n"));
}

TEST(ReportPatch, StandsInTheTextWithItsMarks) {
  Project project(kPrograms / "host_reads.c");
  project.set("OMPDM_SOURCE", "auto");
  ASSERT_TRUE(project.record());
  const Ended report = project.start({OMPDM_COMMAND, "report", "trace.json"});
  EXPECT_TRUE(contains(report.out, "\n         + #pragma omp target enter data map(to: u[0:n])\n"))
      << report.out;
  const Ended without = project.start({OMPDM_COMMAND, "report", "--no-source", "trace.json"});
  EXPECT_FALSE(contains(without.out, "for (int t = 0;")) << "lines of the program were not wanted";
}

TEST(ReportPatch, HasAllThatIsSaidOfADirectivesClauses) {
  Project project(kPrograms / "copied_back.c");
  project.set("OMPDM_SOURCE", "auto");
  ASSERT_TRUE(project.record());
  const Ended written =
      project.start({OMPDM_COMMAND, "report", "trace.json", "--patch", "report.patch"});
  EXPECT_EQ(written.status, 0) << written.err;
  EXPECT_TRUE(contains(project.patched("report.patch", "copied_back.c"),
                       " map(from: c[0 : n]) map(to: a[0 : n], b[0 : n])  // all of it\n"))
      << written.out;
}

}  // namespace
}  // namespace ompdm::e2e::report_patch_test
