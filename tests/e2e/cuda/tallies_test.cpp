// A GPU's activities in a program whose events are only aggregated. Tables are those of a run with
// single events, and the spool has the same size for a run of any length.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "met.h"
#include "ompdm/trace_file.h"

namespace ompdm::e2e::tallies_test {
namespace {

void expect_same_counts(const OnStandin& counted, const OnStandin& told) {
  const std::vector<const char*> activity = {"type", "name", "count", "bytes", "clock"};
  EXPECT_EQ(rows_of(counted.report["activities"], activity),
            rows_of(told.report["activities"], activity));
  const std::vector<const char*> directive = {"directive",  "line",       "count",
                                              "HtoD_bytes", "HtoD_count", "DtoH_bytes",
                                              "DtoH_count", "DtoD_bytes", "kernel_count"};
  // What the runtime frees for a deferred directive that has ended is that directive's where it is
  // told, and the runtime's where it is counted.
  const auto directives = [&](const Json& report) {
    std::vector<Json> rows = rows_of(report["directives"], directive);
    std::erase_if(rows, [](const Json& row) { return row["line"] == 0; });
    return rows;
  };
  EXPECT_EQ(directives(counted.report), directives(told.report));
  for (const char* what : {"HtoD", "DtoH", "DtoD", "memset", "kernel", "runtime_internal"}) {
    EXPECT_EQ(counted.report["totals"][what]["count"], told.report["totals"][what]["count"])
        << what;
  }
  for (const Json& loss : counted.report["traces"][0]["losses"]) {
    EXPECT_EQ(loss["count"], 0) << loss["name"];
  }
}

// The stand-in's work takes what it is told to take. What goes by the host in two copies is told as
// one that lasts from the first one's begin to the other's end, and counted as what both took.
void expect_same_times(const OnStandin& counted, const OnStandin& told) {
  for (const Json& row : told.report["activities"]) {
    if (row["clock"] != "device" || row["type"] == "DtoD") continue;
    const auto& rows = counted.report["activities"];
    const auto same =
        std::ranges::find_if(rows, [&](const Json& other) { return other["id"] == row["id"]; });
    ASSERT_NE(same, rows.end()) << row["name"];
    // What is told is brought from CUPTI's clock to the host's, which in a run of some milliseconds
    // are known to a thousandth, and each time to a nanosecond.
    for (const char* what : {"total_ns", "min_ns", "max_ns"}) {
      const auto time = row[what].get<double>();
      EXPECT_NEAR((*same)[what].get<double>(), time, time / 1000 + row["count"].get<double>())
          << row["name"] << " " << what;
    }
  }
}

std::uint64_t count_of(const std::vector<ActivityAggregate>& aggregates) {
  std::uint64_t sum = 0;
  for (const ActivityAggregate& aggregate : aggregates) sum += aggregate.times.count;
  return sum;
}

class CountedOnStandin : public testing::TestWithParam<const char*> {};

TEST_P(CountedOnStandin, IsToldByTheDevicesClock) {
  const OnStandin told = run_on_standin({GetParam()});
  const OnStandin counted = run_on_standin({GetParam()}, {{"OMPDM_DETAIL", "tallies"}});
  ASSERT_TRUE(told.report.is_object() && counted.report.is_object());
  expect_same_counts(counted, told);
  expect_same_times(counted, told);
  EXPECT_TRUE(counted.trace.activities.empty());
  EXPECT_EQ(count_of(counted.trace.activity_aggregates), told.trace.activities.size());
}

INSTANTIATE_TEST_SUITE_P(, CountedOnStandin,
                         testing::Values("always", "api", "api_async", "classes", "declare_target",
                                         "firstprivate", "huge", "late", "mapper", "nested_data",
                                         "nowait_depend", "parallel_regions", "peers", "pinned",
                                         "reductions", "shapes", "struct_members", "templates",
                                         "threads"),
                         [](const auto& test) { return std::string(test.param); });

TEST(CountedGpu, KernelsTakeWhatTheyTook) {
  const OnStandin counted = run_on_standin({"shapes"}, {{"OMPDM_DETAIL", "tallies"}});
  ASSERT_FALSE(counted.report["activities"].empty());
  for (const Json& row : counted.report["activities"]) {
    EXPECT_EQ(row["clock"], "device");
    EXPECT_GE(row["min_ns"], row["type"] == "kernel" ? 49'000 : 19'000);
  }
}

const std::map<std::string, std::string> kFast = {{"STANDIN_COPY_US", "0"},
                                                  {"STANDIN_KERNEL_US", "0"}};

TEST(CountedGpu, ASpoolThatIsFullCountsTheRest) {
  const OnStandin told = run_on_standin({"storm", "3000"}, kFast);
  auto environment = kFast;
  environment["OMPDM_MAX_SPOOL"] = "200K";
  const OnStandin bounded = run_on_standin({"storm", "3000"}, environment);
  ASSERT_TRUE(told.report.is_object() && bounded.report.is_object());
  expect_same_counts(bounded, told);
  EXPECT_EQ(bounded.report["traces"][0]["detail"], "spool_limit");
  EXPECT_GT(bounded.trace.activities.size(), 100U);
  EXPECT_GT(count_of(bounded.trace.activity_aggregates), 100U);
  EXPECT_EQ(bounded.trace.activities.size() + count_of(bounded.trace.activity_aggregates),
            told.trace.activities.size());
}

TEST(CountedGpu, TheSpoolOfALongerRunIsNoLarger) {
  const auto size_of = [](const char* steps, const char* end) {
    Command counted{{OMPDM_COMMAND, "record", "--detail", "tallies", "--no-finish", "--",
                     OMPDM_CUDA_PROGRAMS "/storm", steps, end},
                    kFast};
    counted.environment.merge(standin_environment());
    const Folder folder;
    e2e::run(counted, folder.path());
    return std::filesystem::file_size(folder.path() / "trace.json.spool");
  };
  const auto whole = size_of("2000", "");
  EXPECT_EQ(size_of("200", ""), whole);
  // What CUPTI had not delivered when the program was killed has no room.
  EXPECT_LE(size_of("3000", "kill"), whole);
  EXPECT_LE(size_of("9000", "kill"), whole);
}

TEST(CountedGpu, WithoutOmptIsTheProgramToo) {
  const auto record_plain = [](const char* detail) {
    Command command{{OMPDM_CUDA_PROGRAMS "/plain"}};
    command.environment = {{"LD_LIBRARY_PATH", OMPDM_STANDIN_LIBRARIES},
                           {"CUDA_INJECTION64_PATH", OMPDM_RECORDER},
                           {"OMPDM_DETAIL", detail}};
    const Folder folder;
    EXPECT_EQ(e2e::run(command, folder.path()).status, 0);
    const auto trace = folder.path() / "trace.json";
    OnStandin run;
    // It waits for the trace that is being written.
    run.report = Json::parse(
        e2e::run({{OMPDM_COMMAND, "report", "--format", "json", trace.string()}}, folder.path())
            .out);
    run.trace = read_trace(trace);
    return run;
  };
  const OnStandin told = record_plain("events");
  const OnStandin counted = record_plain("tallies");
  expect_same_counts(counted, told);
  expect_same_times(counted, told);
  EXPECT_TRUE(counted.trace.activities.empty());
  EXPECT_EQ(count_of(counted.trace.activity_aggregates), told.trace.activities.size());
  EXPECT_EQ(counted.report["totals"]["runtime_internal"]["count"], 0);
}

// What CUPTI had not given back is missing, and said so.
TEST(CountedGpu, AKilledRunHasWhatCameBack) {
  auto environment = kFast;
  environment["OMPDM_DETAIL"] = "tallies";
  const OnStandin killed = run_on_standin({"storm", "3000", "kill"}, environment);
  ASSERT_TRUE(killed.report.is_object());
  const std::uint64_t came = count_of(killed.trace.activity_aggregates);
  EXPECT_GT(came, 100U);
  std::uint64_t asked = 0;
  for (const OpAggregate& aggregate : killed.trace.op_aggregates) {
    const bool copies =
        aggregate.like.kind == OpKind::kHtoD || aggregate.like.kind == OpKind::kDtoH;
    if (copies && !aggregate.like.internal) asked += aggregate.times.count;
  }
  for (const LaunchAggregate& aggregate : killed.trace.launch_aggregates)
    asked += aggregate.times.count;
  std::uint64_t tied = 0;
  for (const ActivityAggregate& aggregate : killed.trace.activity_aggregates) {
    if (aggregate.op || aggregate.launch) tied += aggregate.times.count;
  }
  EXPECT_EQ(tied + loss_of(killed.trace, "activities_missing"), asked);
  EXPECT_EQ(loss_of(killed.trace, "activities_dropped"), 0U);
  EXPECT_EQ(killed.report["totals"]["kernel"]["count"], 3000);
}

}  // namespace
}  // namespace ompdm::e2e::tallies_test
