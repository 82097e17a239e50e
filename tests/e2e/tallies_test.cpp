// What is counted and not told event by event is exact: totals, directives and variables are those
// of a recording that tells everything.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "recorded.h"

namespace ompdm::e2e::tallies_test {
namespace {

using Environment = std::map<std::string, std::string>;

Json report_of(const std::vector<std::string>& words, const Environment& environment) {
  return record({words, environment}).report;
}

void expect_same_figures(const Json& counted, const Json& told) {
  ASSERT_TRUE(counted.is_object() && told.is_object());
  for (const auto& [what, flow] : told["totals"].items()) {
    EXPECT_EQ(counted["totals"][what]["count"], flow["count"]) << what;
    if (flow.contains("bytes") && what != "delete") {  // deletes are told without their bytes
      EXPECT_EQ(counted["totals"][what]["bytes"], flow["bytes"]) << what;
    }
  }
  const std::vector<const char*> directive = {
      "directive",  "file",       "line",       "function",    "count",       "HtoD_bytes",
      "HtoD_count", "DtoH_bytes", "DtoH_count", "alloc_count", "kernel_count"};
  EXPECT_EQ(rows_of(counted["directives"], directive), rows_of(told["directives"], directive));
  const std::vector<const char*> activity = {"type", "name", "count", "bytes", "clock"};
  EXPECT_EQ(rows_of(counted["activities"], activity), rows_of(told["activities"], activity));
}

void expect_same_variables(const Json& counted, const Json& told) {
  const std::vector<const char*> variable = {"name",       "line",       "HtoD_bytes",
                                             "HtoD_count", "DtoH_bytes", "DtoH_count"};
  EXPECT_EQ(rows_of(counted["variables"], variable), rows_of(told["variables"], variable));
}

void expect_nothing_lost(const Json& report) {
  for (const Json& loss : report["traces"][0]["losses"]) {
    EXPECT_EQ(loss["count"], 0) << loss["name"];
  }
}

struct Counting {
  const char* name;
  bool is_kernel = false;
  std::vector<std::string> arguments = {};
  bool keeps_names = true;  ///< one name for one piece of storage at any time
};

std::vector<std::string> words_of(const Counting& tested) {
  std::vector<std::string> words = {tested.is_kernel ? kernel(tested.name) : program(tested.name)};
  words.insert(words.end(), tested.arguments.begin(), tested.arguments.end());
  return words;
}

class Counted : public ::testing::TestWithParam<Counting> {};

TEST_P(Counted, InsteadOfToldIsTheSame) {
  const auto words = words_of(GetParam());
  const Json told = report_of(words, {});
  const Json counted = report_of(words, {{"OMPDM_DETAIL", "tallies"}});
  expect_same_figures(counted, told);
  if (GetParam().keeps_names) expect_same_variables(counted, told);
  expect_nothing_lost(counted);
  EXPECT_TRUE(counted["findings"].empty());
  EXPECT_TRUE(counted["iterations"].empty());
  EXPECT_EQ(counted["traces"][0]["detail"], "tallies");
}

INSTANTIATE_TEST_SUITE_P(
    , Counted,
    ::testing::Values(Counting{"heat", true, {"--variant", "naive", "50", "20"}, false},
                      Counting{"heat", true, {"--variant", "data", "50", "20"}, false},
                      Counting{"jacobi", true, {"--variant", "naive", "64"}},
                      Counting{"pi", true, {"--variant", "combined"}}, Counting{"always"},
                      Counting{"api"}, Counting{"api_globals"}, Counting{"declare_target"},
                      Counting{"devices"}, Counting{"firstprivate"}, Counting{"mapper"},
                      Counting{"nested_data"}, Counting{"nowait_depend"},
                      Counting{"parallel_regions"}, Counting{"reductions"}, Counting{"same_line"},
                      Counting{"struct_members"}, Counting{"classes"}, Counting{"templates"},
                      Counting{"threads"}),
    [](const auto& tested) {
      const Counting& one = tested.param;
      return std::string(one.name) + (one.arguments.size() > 1 ? "_" + one.arguments[1] : "");
    });

const std::vector<std::string>& long_heat() {
  static const std::vector<std::string> words = {kernel("heat"), "--variant", "naive", "40",
                                                 "3000"};
  return words;
}

TEST(Bounded, ASpoolThatIsFullCountsTheRest) {
  const Json told = report_of(long_heat(), {});
  const Recorded bounded = record({long_heat(), {{"OMPDM_MAX_SPOOL", "100K"}}});
  expect_same_figures(bounded.report, told);
  expect_nothing_lost(bounded.report);
  const Json& trace = bounded.report["traces"][0];
  EXPECT_EQ(trace["detail"], "spool_limit");
  EXPECT_LT(trace["told_to_ns"], trace["wall_ns"]);
  EXPECT_GT(bounded.trace.regions.size(), 100U);
  EXPECT_LT(bounded.trace.regions.size(), 2900U);
  // What was told has its loop and its finding as ever.
  EXPECT_FALSE(bounded.report["iterations"].empty());
  EXPECT_FALSE(bounded.report["findings"].empty());
  for (const Json& finding : bounded.report["findings"]) {
    EXPECT_EQ(finding["confidence"], "possible") << "the rest of the run may need it";
  }
}

TEST(Window, UntilADirectiveEndsWhereItIsReached) {
  // Jacobi's sweep comes first, then the line of its convergence loop.
  const std::vector<std::string> jacobi = {kernel("jacobi"), "--variant", "naive", "64"};
  const Json told = report_of(jacobi, {});
  ASSERT_TRUE(told.is_object());
  int last = 0;
  for (const Json& row : told["directives"]) {
    if (row["directive"] == "target") last = std::max(last, row["line"].get<int>());
  }
  const Recorded window = record({jacobi, {{"OMPDM_UNTIL", "jacobi.cpp:" + std::to_string(last)}}});
  expect_same_figures(window.report, told);
  EXPECT_EQ(window.report["traces"][0]["detail"], "window");
  EXPECT_EQ(window.trace.regions.size(), 1U);
}

TEST(Window, AfterAndDurationAreTimesOfTheRun) {
  const Json told = report_of(long_heat(), {});
  ASSERT_TRUE(told.is_object());
  const Json window = report_of(long_heat(), {{"OMPDM_AFTER", "20ms"}, {"OMPDM_DURATION", "20ms"}});
  expect_same_figures(window, told);
  const Json& trace = window["traces"][0];
  EXPECT_EQ(trace["detail"], "window");
  EXPECT_GE(trace["told_from_ns"], 20'000'000);
  EXPECT_GE(trace["told_to_ns"].get<long>() - trace["told_from_ns"].get<long>(), 20'000'000);
}

TEST(Window, ThatBeginsAfterTheEndIsSaidSo) {
  const Json told = report_of(long_heat(), {});
  const Recorded window = record({long_heat(), {{"OMPDM_AFTER", "1h"}}});
  expect_same_figures(window.report, told);
  EXPECT_EQ(window.trace.regions.size(), 0U);
  EXPECT_EQ(window.trace.recording.recorded_from, window.trace.process.wall);
}

TEST(CountedReport, SaysWhyThereAreNoShares) {
  const Folder folder;
  const Ended ended = run({{OMPDM_COMMAND, "record", "--detail", "tallies", "--report", "--",
                            kernel("heat"), "--variant", "naive", "40", "3"}},
                          folder.path());
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_NE(ended.out.find("! the run was aggregated (OMPDM_DETAIL)"), std::string::npos)
      << ended.out;
  EXPECT_EQ(ended.out.find("asynchronously"), std::string::npos) << ended.out;
}

std::uintmax_t spool_size(const char* steps, const Environment& environment) {
  Command counted{{OMPDM_COMMAND, "record", "--detail", "tallies", "--no-finish", "--",
                   kernel("heat"), "--variant", "naive", "40", steps},
                  environment};
  const Folder folder;
  const Ended ended = run(counted, folder.path());
  EXPECT_EQ(ended.status, 0) << ended.err;
  return std::filesystem::file_size(folder.path() / "trace.json.spool");
}

const Environment kNoDevice = {{"OMP_TARGET_OFFLOAD", "DISABLED"}};

TEST(CountedSpool, OfARunOfAnyLengthIsNoLarger) {
  EXPECT_EQ(spool_size("300", {}), spool_size("3000", {}));
}

TEST(CountedSpool, IsFinishedWithWhatWasCounted) {
  const Folder folder;
  const Ended ended = run({{OMPDM_COMMAND, "record", "--detail", "tallies", "--no-finish", "--",
                            kernel("heat"), "--variant", "naive", "40", "300"}},
                          folder.path());
  EXPECT_EQ(ended.status, 0) << ended.err;
  const Ended finished = run({{OMPDM_COMMAND, "finish", "trace.json.spool"}}, folder.path());
  EXPECT_NE(finished.out.find("(0 regions, 0 data operations, 0 kernels recorded, "),
            std::string::npos)
      << finished.out;
  EXPECT_NE(finished.out.find(" aggregated; nothing lost)"), std::string::npos) << finished.out;
}

TEST(CountedSpool, OfARunWithoutADeviceIsNoLarger) {
  EXPECT_EQ(spool_size("300", kNoDevice), spool_size("3000", kNoDevice));
}

TEST(CountedFallbacks, AreThoseOfARunThatIsTold) {
  const Json told = report_of(long_heat(), kNoDevice);
  ASSERT_TRUE(told.is_object());
  ASSERT_FALSE(told["findings"].empty());
  const std::vector<const char*> finding = {"pattern",    "line",     "count",
                                            "confidence", "coverage", "advice"};
  for (const auto& [variable, value] :
       Environment{{"OMPDM_DETAIL", "tallies"}, {"OMPDM_MAX_SPOOL", "40K"}}) {
    Environment environment = kNoDevice;
    environment[variable] = value;
    const Recorded counted = record({long_heat(), environment});
    expect_same_figures(counted.report, told);
    EXPECT_EQ(rows_of(counted.report["directives"], {"line", "fallback_count"}),
              rows_of(told["directives"], {"line", "fallback_count"}));
    EXPECT_EQ(rows_of(counted.report["findings"], finding), rows_of(told["findings"], finding));
    expect_nothing_lost(counted.report);
    ASSERT_FALSE(counted.trace.region_aggregates.empty()) << variable;
    EXPECT_LT(counted.trace.regions.size(), 3000U) << variable;
  }
}

}  // namespace
}  // namespace ompdm::e2e::tallies_test
